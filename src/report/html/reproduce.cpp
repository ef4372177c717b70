#include "report/html/reproduce.h"

#include <set>

#include "core/shell_word.h"
#include "report/html/text.h"
#include "report/svg/plot_text.h"

namespace lc {
namespace {

// Every command of a result: its own, or those of its parts (A and B, each run of a list).
void add_commands(const nlohmann::json& part, std::set<std::string>& known, std::string& lines) {
  if (!part.is_structured()) return;
  for (const auto& [key, value] : part.items()) {
    if (key != "command" || !value.is_string()) {
      add_commands(value, known, lines);
    } else if (known.insert(value.get<std::string>()).second) {
      lines += value.get<std::string>() + "\n";
    }
  }
}

// A line each, none twice.
std::string command_lines(const std::vector<ReportedResult>& results) {
  std::set<std::string> known;
  std::string lines;
  for (const ReportedResult& result : results) add_commands(result.json, known, lines);
  return lines;
}

std::string commands_card(const std::string& name, const std::string& lines) {
  return html_element(
      "div", "card",
      html_element("h4", "name", escape_xml(name)) + html_element("pre", "", escape_xml(lines)));
}

}  // namespace

std::string html_reproduce(const std::vector<ReportedRun>& runs,
                           const std::vector<ReportedResult>& comparisons) {
  std::string html = html_element(
      "p", "note",
      "Training from the settings in effect, into a folder of its own; then every result above, by "
      "the command that gave it.");
  for (const ReportedRun& run : runs) {
    const std::string origin =
        run.trained ? "lctrain --config " + shell_word(run.folder + "/config.json") +
                          " --set run.out_dir=" + shell_word(run.folder + "_again") + "\n"
                    : "# Its weights were imported: there is no training to make again.\n";
    html += commands_card(run.settings.name, origin + command_lines(run.results));
  }
  const std::string lines = command_lines(comparisons);
  if (!lines.empty()) html += commands_card("Comparisons", lines);
  return html;
}

}  // namespace lc

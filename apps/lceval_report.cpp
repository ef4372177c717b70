#include "lceval_report.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "checkpoint/checkpoint.h"
#include "common/app_main.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/log.h"
#include "lceval_output.h"
#include "lceval_runs.h"
#include "report/html_report.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 100;  // brackets in brackets; results and configs have fewer than ten

// Nothing where a text is no JSON, or one that is nested deeper than any result or config.
template <typename Json>
std::optional<Json> written_json(const std::string& text) {
  bool too_deep = false;
  const auto within = [&](int depth, typename Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kDeepest;
    return !too_deep;
  };
  Json json = Json::parse(text, within, false);
  if (too_deep || json.is_discarded()) return {};
  return json;
}

nlohmann::ordered_json stored_settings(const RunFolder& folder) {
  const fs::path file = folder.config_file();
  const auto config = written_json<nlohmann::ordered_json>(read_file(file));
  if (config && config->is_object()) return *config;
  throw Error(ErrorKind::kData, file.string(), "is no JSON object",
              "name a run folder as lctrain writes it");
}

// Files of the folder of evaluations, by name without extension.
std::vector<ReportedResult> stored_results(const fs::path& folder) {
  std::map<std::string, ReportedResult> results;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder, absent)) {
    const std::string extension = entry.path().extension().string();
    if (!entry.is_regular_file() || (extension != ".json" && extension != ".svg")) continue;
    const std::string stem = entry.path().stem().string();
    ReportedResult& result = results[stem];
    result.stem = stem;
    const std::string content = read_file(entry.path());
    if (extension == ".svg") {
      result.svg = content;
      continue;
    }
    if (auto json = written_json<nlohmann::json>(content)) {
      result.json = std::move(*json);
      continue;
    }
    result.fault =
        entry.path().filename().string() + " is no JSON that lceval wrote, and is left out";
    log_warning(entry.path().string() + " is no JSON that lceval wrote: left out of the report");
  }
  std::vector<ReportedResult> list;
  for (auto& [stem, result] : results) list.push_back(std::move(result));
  return list;
}

ReportedRun reported_run(const NamedRun& run) {
  const RunFolder folder =
      RunFolder(run.path).holds_run() ? RunFolder(run.path) : run_of(resolve_checkpoint(run.path));
  const bool trained = fs::exists(folder.metrics_file());
  const std::string metrics = trained ? read_file(folder.metrics_file()) : "";
  return {{run.name, stored_settings(folder)},
          folder.path().string(),
          read_learning_curves(run.name, metrics),
          stored_results(folder.evaluations())};
}

std::string program_line() {
  const std::string version = version_text();
  return "lceval report, " + version.substr(0, version.find('\n'));
}

}  // namespace

EvalVerb report_verb() {
  const auto paths = std::make_shared<std::vector<std::string>>();
  EvalVerb verb;
  verb.name = "report";
  verb.says = "One HTML page of runs: settings, learning curves, all results in RUN/eval";
  verb.takes = {"--out"};
  verb.reason = "reads what runs have written, and writes one page, --out FILE (report.html)";
  verb.add_flags = [paths](CLI::App& own) {
    own.add_option("runs", *paths, "Run folders, or folders of runs")->required()->type_name("RUN");
  };
  verb.run = [paths](const OptionTable& table, const EvalFlags& flags) {
    std::vector<ReportedRun> runs;
    for (const NamedRun& run : asked_runs(*paths, table, flags)) runs.push_back(reported_run(run));
    write_result_file(flags.out.empty() ? "report.html" : flags.out,
                      html_report(runs, program_line()));
  };
  return verb;
}

}  // namespace lc

#include "lceval_result_files.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "core/error.h"
#include "core/file_io.h"
#include "core/log.h"
#include "eval/token_text.h"
#include "report/svg_plot_text.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 100;  // brackets in brackets; results and configs have fewer than ten
constexpr size_t kShownCharacters = 20;  // of a file that is no SVG

bool is_json_or_svg(const fs::path& file) {
  return file.extension() == ".json" || file.extension() == ".svg";
}

// Those in a folder, by name.
std::vector<fs::path> json_and_svg_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    if (entry.is_regular_file() && is_json_or_svg(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// What may stand before the image: a byte order mark, blanks, <?xml ... ?>, comments, a DOCTYPE.
std::string_view after_xml_head(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with("<?") && !text.starts_with("<!")) return text;
    const std::string_view end = text.starts_with("<!--") ? "-->" : ">";
    const size_t past = text.find(end);
    if (past == std::string_view::npos) return {};
    text.remove_prefix(past + end.size());
  }
}

std::string read_svg_file(const fs::path& file) {
  std::string text = read_file(file);
  const bool begins = after_xml_head(text).starts_with("<svg");
  if (begins && text.find("</svg") != std::string::npos) return text;
  const std::string beginning = shortened(visible_text(text.substr(0, 100)), kShownCharacters);
  throw Error(ErrorKind::kData, file.string(),
              begins ? "is a part of an SVG image: its last tag is missing"
                     : "is no SVG image: it begins with \"" + beginning + "\"",
              "make the plot again with --out or --plot, or leave the file out");
}

void add_result_file(const fs::path& file, ReportedResult& result) {
  if (file.extension() == ".svg") {
    result.svg = read_svg_file(file);
  } else {
    result.json = read_json_file(file);
  }
}

std::vector<fs::path> files_at(const fs::path& path) {
  const std::string place = "--results " + path.string();
  if (!fs::exists(path)) {
    throw Error(ErrorKind::kData, place, "there is no such file or folder",
                "name results that lceval wrote with --out");
  }
  if (fs::is_directory(path)) {
    std::vector<fs::path> files = json_and_svg_files(path);
    if (!files.empty()) return files;
    throw Error(ErrorKind::kData, place, "this folder has no .json and no .svg files",
                "name one that lceval wrote with --out");
  }
  if (is_json_or_svg(path)) return {path};
  throw Error(ErrorKind::kData, place, "this is neither a .json nor an .svg file",
              "name one of these, or a folder of them");
}

}  // namespace

nlohmann::ordered_json read_json_file(const fs::path& file) {
  using Json = nlohmann::ordered_json;
  bool too_deep = false;
  const auto within = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kDeepest;
    return !too_deep;
  };
  std::string fault = "brackets are nested more than " + std::to_string(kDeepest) + " deep";
  try {
    Json json = Json::parse(read_file(file), within);
    if (!too_deep && json.is_structured()) return json;
    if (!too_deep) fault = "it is neither an object nor a list";
  } catch (const Json::parse_error& error) {
    if (!too_deep) fault = "it goes wrong at byte " + std::to_string(error.byte);
  } catch (const Json::out_of_range&) {
    if (!too_deep) fault = "it has a number that is too large";
  }
  throw Error(ErrorKind::kData, file.string(), "is no JSON that lceval or lctrain wrote: " + fault,
              "make it again, or leave it out");
}

std::vector<ReportedResult> stored_results(const fs::path& folder) {
  std::map<std::string, ReportedResult> results;
  for (const fs::path& file : json_and_svg_files(folder)) {
    ReportedResult& result = results[file.stem().string()];
    result.stem = file.stem().string();
    try {
      add_result_file(file, result);
    } catch (const Error& error) {
      const std::string kind = file.extension() == ".svg" ? "SVG" : "JSON";
      result.fault += (result.fault.empty() ? "" : "; ") + file.filename().string() + " is no " +
                      kind + " that lceval wrote, and is left out";
      log_warning(std::string("left out of the report: ") + error.what());
    }
  }
  std::vector<ReportedResult> list;
  for (auto& [stem, result] : results) list.push_back(std::move(result));
  return list;
}

std::vector<ReportedResult> named_results(const std::vector<std::string>& paths) {
  std::vector<fs::path> stems;  // with their folders, in order
  std::map<fs::path, ReportedResult> results;
  std::map<std::string, int> folders_with;  // that name
  for (const std::string& path : paths) {
    for (const fs::path& file : files_at(path)) {
      const fs::path stem = (file.parent_path() / file.stem()).lexically_normal();
      const auto [place, added] = results.try_emplace(stem);
      if (added) {
        stems.push_back(stem);
        ++folders_with[stem.filename().string()];
      }
      add_result_file(file, place->second);
    }
  }
  std::vector<ReportedResult> list;
  for (const fs::path& stem : stems) {
    const std::string name = stem.filename().string();
    list.push_back(std::move(results.at(stem)));
    list.back().stem = folders_with.at(name) > 1 ? stem.string() : name;
  }
  return list;
}

}  // namespace lc

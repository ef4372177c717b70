#include "lceval/result_files.h"

#include <algorithm>
#include <map>
#include <system_error>

#include "checkpoint/run_folder.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/log.h"
#include "report/svg/fault.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 100;  // brackets in brackets; results and configs have fewer than ten

bool is_json_or_svg(const fs::path& file) {
  return file.extension() == ".json" || file.extension() == ".svg";
}

bool can_hold_text(fs::file_type type) {
  // Of broken links and the like nothing is known: reading them tells why.
  return type == fs::file_type::regular || type == fs::file_type::not_found ||
         type == fs::file_type::none;
}

// Those in a folder, by name; none if it is absent.
std::vector<fs::path> json_and_svg_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code fault;
  for (fs::directory_iterator at(folder, fault); !fault && at != fs::directory_iterator();
       at.increment(fault)) {
    std::error_code unknown;
    if (is_json_or_svg(at->path()) && can_hold_text(at->status(unknown).type())) {
      files.push_back(at->path());
    }
  }
  if (fault && fault != std::errc::no_such_file_or_directory) {
    throw Error(ErrorKind::kData, folder.string(), "can't be read: " + fault.message(),
                "check the path and its permissions");
  }
  std::sort(files.begin(), files.end());
  return files;
}

void add_result_file(const fs::path& file, const std::string& remedy, ReportedResult& result) {
  if (file.extension() != ".svg") {
    result.json = read_json_file(file, remedy);
    return;
  }
  std::string text = read_file(file);
  const std::string fault = svg_fault(text);
  if (!fault.empty()) throw Error(ErrorKind::kData, file.string(), fault, remedy);
  result.svg = std::move(text);
}

std::vector<fs::path> files_in_named(const fs::path& folder, const std::string& place) {
  std::error_code unknown;
  if (fs::exists(RunFolder(folder).config_file(), unknown)) {
    throw Error(ErrorKind::kData, place, "this is the folder of a run, not of results",
                "name it as a RUN, without --results: its own results are shown with it");
  }
  std::vector<fs::path> files = json_and_svg_files(folder);
  if (!files.empty()) return files;
  throw Error(ErrorKind::kData, place, "this folder has no .json and no .svg files",
              "name one that lceval wrote with --out");
}

std::vector<fs::path> files_at(const fs::path& path) {
  const std::string remedy = "name results that lceval wrote with --out";
  const std::string place = "--results " + path.string();
  std::error_code fault;
  const fs::file_type type = fs::status(path, fault).type();
  if (type == fs::file_type::not_found) {
    throw Error(ErrorKind::kData, place, "there is no such file or folder", remedy);
  }
  if (fault) throw Error(ErrorKind::kData, place, "can't be read: " + fault.message(), remedy);
  if (type == fs::file_type::directory) return files_in_named(path, place);
  if (type == fs::file_type::regular && is_json_or_svg(path)) return {path};
  throw Error(ErrorKind::kData, place, "this is neither a .json nor an .svg file",
              "name one of these, or a folder of them");
}

// The same for all paths that lead to the file's folder.
fs::path place_of(const fs::path& file) {
  std::error_code unknown;  // then the file can't be read either, which is said
  return fs::canonical(file.parent_path() / ".", unknown) / file.stem();
}

// The title of a result whose name others have too.
std::string with_folder(const fs::path& file) {
  return (file.parent_path() / file.stem()).lexically_normal().string();
}

}  // namespace

nlohmann::ordered_json read_json_file(const fs::path& file, const std::string& remedy) {
  using Json = nlohmann::ordered_json;
  const std::string text = read_file(file);
  if (text.empty()) throw Error(ErrorKind::kData, file.string(), "is empty", remedy);
  bool too_deep = false;
  const auto within = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kDeepest;
    return !too_deep;
  };
  std::string fault = "brackets are nested more than " + std::to_string(kDeepest) + " deep";
  try {
    Json json = Json::parse(text, within);
    if (!too_deep && json.is_structured()) return json;
    if (!too_deep) fault = "it is neither an object nor a list";
  } catch (const Json::parse_error& error) {
    if (!too_deep) fault = "it goes wrong at byte " + std::to_string(error.byte);
  } catch (const Json::out_of_range&) {
    if (!too_deep) fault = "it has a number that is too large";
  }
  throw Error(ErrorKind::kData, file.string(), "is no JSON that lceval or lctrain wrote: " + fault,
              remedy);
}

std::vector<ReportedResult> stored_results(const fs::path& folder) {
  std::map<std::string, ReportedResult> results;
  for (const fs::path& file : json_and_svg_files(folder)) {
    ReportedResult& result = results[file.stem().string()];
    result.stem = file.stem().string();
    try {
      add_result_file(file, "make it again, or remove it", result);
    } catch (const Error& error) {
      result.fault += (result.fault.empty() ? "Left out: " : ". Left out: ");
      result.fault += error.what();
      log_warning(std::string("left out of the report: ") + error.what());
    }
  }
  std::vector<ReportedResult> list;
  for (auto& [stem, result] : results) list.push_back(std::move(result));
  return list;
}

std::vector<ReportedResult> named_results(const std::vector<std::string>& paths) {
  std::vector<fs::path> places;  // in order
  std::map<fs::path, ReportedResult> results;
  std::map<std::string, int> folders_with;  // that name
  for (const std::string& path : paths) {
    for (const fs::path& file : files_at(path)) {
      const auto [entry, added] = results.try_emplace(place_of(file));
      if (added) {
        places.push_back(entry->first);
        ++folders_with[file.stem().string()];
        entry->second.stem = with_folder(file);
      }
      add_result_file(file, "make it again, or leave it out", entry->second);
    }
  }
  std::vector<ReportedResult> list;
  for (const fs::path& place : places) {
    const std::string name = place.filename().string();
    list.push_back(std::move(results.at(place)));
    if (folders_with.at(name) == 1) list.back().stem = name;
  }
  return list;
}

}  // namespace lc

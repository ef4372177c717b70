// The files that a report page is made of: JSON of settings and results, SVG of plots.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/html/report.h"

namespace lc {

// An object or a list. Error(kData) for a file that is neither, no JSON, or nested deeper than any
// result or config; remedy: what to do then.
nlohmann::ordered_json read_json_file(const std::filesystem::path& file, const std::string& remedy);

// The .json and .svg files of a run's eval folder, by name; no folder: none. One that can't be
// read, or is neither JSON nor SVG, is left out, with a warning and the reason in the result of its
// name. Error(kData) for a folder that can't be read.
std::vector<ReportedResult> stored_results(const std::filesystem::path& folder);

// The .json and .svg files at each path, which is one of them or a folder that holds some. A JSON
// and an SVG of one name and folder are one result, by whatever paths they are named; where two
// folders have the same name, results carry the folder's too, as it was named first. Error(kData),
// naming the path, for any that can't be shown and for a run's folder; Error(kUsage) for an empty
// path.
std::vector<ReportedResult> named_results(const std::vector<std::string>& paths);

}  // namespace lc

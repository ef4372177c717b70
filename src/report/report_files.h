// Reports as files: JSON, CSV and, for a sweep over context lengths, a dynamic evaluation or a
// diagnosis, an SVG plot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eval/run_result.h"
#include "report/file_place.h"

namespace lc {

// "test", with a sweep over contexts "test_context_strict", with one over runtime values
// "test_sweep", of a dynamic evaluation "test_dynamic": the name of a report's files without
// extension.
std::string report_stem(const RunResult& result);

// .json, .csv and, where there is a plot, .svg, named as report_stem() does with BEGIN for the
// split; of a diagnosis also BEGIN_diagnosis.csv and .svg. The folder is made if absent. Returns
// the files written. All results hold a sweep, or none does; the same of dynamic evaluations.
std::vector<std::filesystem::path> write_report(const std::vector<RunResult>& results,
                                                const FilePlace& place);

// One file: of the sweep or grid if there is one, else along the text of a dynamic evaluation, else
// of the diagnosis, else of the evaluations. A plot is of the first of them that has one.
void write_csv(const std::vector<RunResult>& results, const std::filesystem::path& file);
void write_plot(const std::vector<RunResult>& results, const std::filesystem::path& file);

}  // namespace lc

#include "report/report_files.h"

#include <algorithm>

#include "config/json_text.h"
#include "core/file_io.h"
#include "report/csv_results.h"
#include "report/diagnosis_plot.h"
#include "report/dynamic_text.h"
#include "report/svg/plot_contexts.h"

namespace lc {
namespace {

// A diagnosis was asked for.
bool diagnosed(const RunResult& result) {
  const Evaluation& evaluation = result.evaluation;
  return !evaluation.measured.is_null() || evaluation.without_memory.has_value();
}

bool any_diagnosed(const std::vector<RunResult>& results) {
  return std::any_of(results.begin(), results.end(), diagnosed);
}

// Bars of what was measured; a model may measure nothing and have its memory knocked out all the
// same.
std::vector<std::filesystem::path> write_diagnosis(const std::vector<RunResult>& results,
                                                   const FilePlace& place) {
  const std::filesystem::path numbers = place.file("_diagnosis.csv");
  const std::filesystem::path bars = place.file("_diagnosis.svg");
  write_file_atomically(numbers, diagnosis_csv(results));
  const BarChart chart = diagnosis_chart(results);
  if (chart.panels.empty()) return {numbers};
  write_file_atomically(bars, svg_bars(chart));
  return {numbers, bars};
}

std::string numbers_csv(const std::vector<RunResult>& results) {
  const RunResult& first = results.front();
  return first.grid      ? sweep_csv(results)
         : first.sweep   ? contexts_csv(results)
         : first.dynamic ? dynamic_csv(results)
                         : results_csv(results);
}

// What names have after the split.
std::string kind_of(const RunResult& result) {
  if (result.grid) return "_sweep";
  if (result.dynamic) return "_dynamic";
  if (!result.sweep) return "";
  return "_context_" + result.sweep->protocol.at("mode").get<std::string>();
}

}  // namespace

std::string report_stem(const RunResult& result) {
  const auto split = result.source.find("split");
  return (split == result.source.end() ? "data" : split->get<std::string>()) + kind_of(result);
}

std::vector<std::filesystem::path> write_report(const std::vector<RunResult>& results,
                                                const FilePlace& place) {
  const std::string kind = kind_of(results.front());
  std::vector<std::filesystem::path> files = {place.file(kind + ".json"),
                                              place.file(kind + ".csv")};
  write_file_atomically(files[0], json_text(results_json(results), 2) + "\n");
  write_file_atomically(files[1], numbers_csv(results));
  if (results.front().sweep || results.front().dynamic) {
    files.push_back(place.file(kind + ".svg"));
    write_plot(results, files.back());
  }
  if (any_diagnosed(results)) {
    const auto more = write_diagnosis(results, place);
    files.insert(files.end(), more.begin(), more.end());
  }
  return files;
}

void write_csv(const std::vector<RunResult>& results, const std::filesystem::path& file) {
  const RunResult& first = results.front();
  const bool of_diagnosis = any_diagnosed(results) && !first.grid && !first.sweep && !first.dynamic;
  write_file_atomically(file, of_diagnosis ? diagnosis_csv(results) : numbers_csv(results));
}

void write_plot(const std::vector<RunResult>& results, const std::filesystem::path& file) {
  const RunResult& first = results.front();
  write_file_atomically(file, first.sweep     ? svg_plot(contexts_plot(results))
                              : first.dynamic ? svg_plot(dynamic_plot(results))
                                              : svg_bars(diagnosis_chart(results)));
}

}  // namespace lc

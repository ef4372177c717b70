#include "eval/report_files.h"

#include "core/file_io.h"
#include "eval/csv_results.h"
#include "eval/dynamic_text.h"
#include "eval/svg_plot_contexts.h"

namespace lc {

std::string json_text(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string report_stem(const RunResult& result) {
  const auto split = result.source.find("split");
  const std::string stem = split == result.source.end() ? "data" : split->get<std::string>();
  if (result.grid) return stem + "_sweep";
  if (result.dynamic) return stem + "_dynamic";
  if (!result.sweep) return stem;
  return stem + "_context_" + result.sweep->protocol.at("mode").get<std::string>();
}

std::vector<std::filesystem::path> write_report(const std::vector<RunResult>& results,
                                                const std::filesystem::path& folder) {
  const std::string stem = report_stem(results.front());
  std::vector<std::filesystem::path> files = {folder / (stem + ".json"), folder / (stem + ".csv")};
  write_file_atomically(files[0], json_text(results_json(results), 2) + "\n");
  write_csv(results, files[1]);
  if (results.front().sweep || results.front().dynamic) {
    files.push_back(folder / (stem + ".svg"));
    write_plot(results, files.back());
  }
  return files;
}

void write_csv(const std::vector<RunResult>& results, const std::filesystem::path& file) {
  const RunResult& first = results.front();
  write_file_atomically(file, first.grid      ? sweep_csv(results)
                              : first.sweep   ? contexts_csv(results)
                              : first.dynamic ? dynamic_csv(results)
                                              : results_csv(results));
}

void write_plot(const std::vector<RunResult>& results, const std::filesystem::path& file) {
  write_file_atomically(
      file, svg_plot(results.front().dynamic ? dynamic_plot(results) : contexts_plot(results)));
}

}  // namespace lc

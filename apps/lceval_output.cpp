#include "lceval_output.h"

#include <iostream>

#include "core/error.h"
#include "core/file_io.h"
#include "core/log.h"
#include "eval/diagnosis_text.h"
#include "eval/report_files.h"
#include "eval/table_results.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

void print_protocol(const RunResult& result) {
  print_result("protocol of " + result.name + ": " +
               protocol_line(result_json(result).at("protocol")) + "\n");
}

void log_files(const std::vector<fs::path>& files) {
  for (const fs::path& file : files) log_info("wrote " + file.string());
}

// Each run's report in its own folder; one that can't be written there costs a warning only.
void write_own_reports(const std::vector<EvaluatedRun>& runs) {
  for (const EvaluatedRun& run : runs) {
    try {
      log_files(write_report({run.result}, run.report_folder));
    } catch (const Error& error) {
      log_warning(error.what());
    }
  }
}

}  // namespace

void print_result(const std::string& text) {
  std::cout << text << std::flush;
  if (!std::cout) {
    throw Error(ErrorKind::kRuntime, "stdout", "can't be written", "check where it goes");
  }
}

void report(const std::vector<EvaluatedRun>& runs, const EvalFlags& flags) {
  std::vector<RunResult> results;
  for (const EvaluatedRun& run : runs) results.push_back(run.result);
  if (flags.json) {
    print_result(json_text(results_json(results), -1) + "\n");
  } else {
    print_result(results_table(results));
    if (results.front().sweep) print_result("\n" + contexts_table(results));
    if (flags.request.diagnosis != Diagnosis::kNone) {
      for (const RunResult& result : results) print_result("\n" + diagnosis_text(result));
    }
    if (results.front().grid) print_result("\n" + sweep_table(results));
    print_result("\n");
    for (const RunResult& result : results) print_protocol(result);
  }
  if (!flags.csv.empty()) {
    write_csv(results, flags.csv);
    log_files({flags.csv});
  }
  if (!flags.plot.empty()) {
    write_plot(results, flags.plot);
    log_files({flags.plot});
  }
  if (flags.out.empty()) {
    write_own_reports(runs);
  } else {
    log_files(write_report(results, flags.out));
  }
}

void report(const Comparison& comparison, const EvalFlags& flags) {
  const std::vector<RunResult> results = {comparison.a, comparison.b};
  const std::string json = json_text(comparison_json(comparison), flags.json ? -1 : 2) + "\n";
  if (flags.json) {
    print_result(json);
  } else {
    print_result(results_table(results) + "\n" + comparison_text(comparison) + "\n");
    for (const RunResult& result : results) print_protocol(result);
  }
  if (!flags.csv.empty()) {
    write_file_atomically(flags.csv, comparison_csv(comparison));
    log_files({flags.csv});
  }
  if (flags.out.empty()) return;
  const std::string stem = "compare_" + report_stem(comparison.a);
  const fs::path folder = flags.out;
  write_file_atomically(folder / (stem + ".json"), json);
  write_file_atomically(folder / (stem + ".csv"), comparison_csv(comparison));
  log_files({folder / (stem + ".json"), folder / (stem + ".csv")});
}

void report(const std::vector<FootprintResult>& results, const EvalFlags& flags) {
  const nlohmann::json json = footprint_json(results);
  print_result(flags.json ? json_text(json, -1) + "\n" : footprint_table(results));
  const auto write = [](const fs::path& file, const std::string& text) {
    write_file_atomically(file, text);
    log_files({file});
  };
  if (!flags.csv.empty()) write(flags.csv, footprint_csv(results));
  if (flags.out.empty()) return;
  write(fs::path(flags.out) / "memory_footprint.json", json_text(json, 2) + "\n");
  write(fs::path(flags.out) / "memory_footprint.csv", footprint_csv(results));
}

}  // namespace lc

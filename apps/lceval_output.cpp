#include "lceval_output.h"

#include <iostream>

#include "core/error.h"
#include "core/file_io.h"
#include "core/log.h"
#include "eval/diagnosis_text.h"
#include "eval/dynamic_text.h"
#include "eval/report_files.h"
#include "eval/table_results.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

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

void print_protocol(const RunResult& result) {
  print_result("protocol of " + result.name + ": " +
               protocol_line(result_json(result).at("protocol")) + "\n");
}

void write_result_file(const fs::path& file, const std::string& text) {
  write_file_atomically(file, text);
  log_files({file});
}

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
    if (results.front().dynamic) print_result("\n" + dynamic_table(results));
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

}  // namespace lc

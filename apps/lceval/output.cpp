#include "lceval/output.h"

#include "config/json_text.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/log.h"
#include "report/diagnosis_text.h"
#include "report/dynamic_text.h"
#include "report/report_files.h"
#include "report/table_results.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

void log_files(const std::vector<fs::path>& files) {
  for (const fs::path& file : files) log_info("wrote " + file.string());
}

}  // namespace

void print_protocol(const std::string& run, const nlohmann::json& protocol) {
  print_result("protocol of " + run + ": " + protocol_line(protocol) + "\n");
}

void print_protocol(const RunResult& result) {
  print_protocol(result.name, result_json(result).at("protocol"));
}

void write_result_file(const fs::path& file, const std::string& text) {
  write_file_atomically(file, text);
  log_files({file});
}

void write_files(const WriteFiles& write, const FilePlace& place) { log_files(write(place)); }

void write_own_files(const WriteFiles& write, const OwnFiles& files) {
  try {
    write_files(write, own_place(files));
  } catch (const Error& error) {
    log_warning(error.what());
  }
}

void write_files_of_run(const WriteFiles& write, const OwnFiles& files, const EvalFlags& flags) {
  if (flags.out.empty()) return write_own_files(write, files);
  write_files(write, {flags.out, files.split});
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
  if (!flags.out.empty()) {
    return write_files([&](const FilePlace& place) { return write_report(results, place); },
                       {flags.out, runs.front().files.split});
  }
  for (const EvaluatedRun& run : runs) {
    write_own_files([&](const FilePlace& place) { return write_report({run.result}, place); },
                    run.files);
  }
}

}  // namespace lc

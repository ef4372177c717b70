#include "lceval/report.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "checkpoint/checkpoint.h"
#include "common/app_main.h"
#include "common/value_checks.h"
#include "core/error.h"
#include "core/file_io.h"
#include "lceval/output.h"
#include "lceval/paths.h"
#include "lceval/result_files.h"
#include "lceval/runs.h"
#include "report/html/report.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

// As typed.
struct ReportFlags {
  std::vector<std::string> runs;
  std::vector<std::string> results;
};

nlohmann::ordered_json stored_settings(const RunFolder& folder) {
  const fs::path file = folder.config_file();
  const std::string remedy = "put the run's own config.json back, or name other runs";
  nlohmann::ordered_json config = read_json_file(file, remedy);
  if (config.is_object()) return config;
  throw Error(ErrorKind::kData, file.string(), "is no JSON object", remedy);
}

ReportedRun reported_run(const NamedRun& run) {
  const RunFolder folder =
      RunFolder(run.path).holds_run() ? RunFolder(run.path) : run_of(resolve_checkpoint(run.path));
  const bool trained = fs::exists(folder.metrics_file());
  const std::string metrics = trained ? read_file(folder.metrics_file()) : "";
  return {{run.name, stored_settings(folder)},
          folder.path().string(),
          trained,
          read_learning_curves(run.name, metrics),
          stored_results(folder.evaluations())};
}

std::string program_line() {
  const std::string version = version_text();
  return "lceval report, " + version.substr(0, version.find('\n'));
}

fs::path page_of(const std::string& out) {
  if (out.empty()) return "report.html";
  const fs::path page = out;
  std::error_code absent;
  if (!page.has_filename() || fs::is_directory(page, absent)) {
    throw Error(ErrorKind::kUsage, "--out", out + " is a folder",
                "name the page's file: --out " + (page / "report.html").string());
  }
  check_output("--out", page, Output::kFile);
  return page;
}

}  // namespace

EvalVerb report_verb() {
  const auto own_flags = std::make_shared<ReportFlags>();
  EvalVerb verb;
  verb.name = "report";
  verb.says =
      "One HTML page of runs: settings, learning curves, all results in RUN/eval, comparisons";
  verb.takes = {"--out"};
  verb.out_is_file = true;
  verb.reason = "reads what runs have written, and writes one page, --out FILE (report.html)";
  verb.add_flags = [own_flags](CLI::App& own) {
    own.add_option("runs", own_flags->runs, "Run folders, or folders of runs")
        ->required()
        ->check(not_empty_path())
        ->type_name("RUN");
    own.add_option("--results", own_flags->results,
                   "Results of several runs together, as compare, recl and others write them with "
                   "--out: a .json or .svg file, or a folder of them; may be repeated")
        ->allow_extra_args(false)
        ->check(not_empty_path())
        ->type_name("PATH");
  };
  verb.run = [own_flags](const OptionTable& table, const EvalFlags& flags) {
    const fs::path page = page_of(flags.out);
    std::vector<ReportedRun> runs;
    for (const NamedRun& run : asked_runs(own_flags->runs, table, flags)) {
      runs.push_back(reported_run(run));
    }
    write_result_file(page, html_report(runs, program_line(), named_results(own_flags->results)));
  };
  return verb;
}

}  // namespace lc

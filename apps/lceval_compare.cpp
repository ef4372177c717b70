#include "lceval_compare.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "core/file_io.h"
#include "eval/compare.h"
#include "eval/report_files.h"
#include "eval/table_results.h"
#include "lceval_output.h"
#include "lceval_runs.h"

namespace lc {
namespace {

void report_comparison(const Comparison& comparison, const EvalFlags& flags) {
  const std::vector<RunResult> results = {comparison.a, comparison.b};
  const std::string json = json_text(comparison_json(comparison), flags.json ? -1 : 2) + "\n";
  if (flags.json) {
    print_result(json);
  } else {
    print_result(results_table(results) + "\n" + comparison_text(comparison) + "\n");
    for (const RunResult& result : results) print_protocol(result);
  }
  if (!flags.csv.empty()) write_result_file(flags.csv, comparison_csv(comparison));
  if (flags.out.empty()) return;
  const std::string stem = "compare_" + report_stem(comparison.a);
  write_result_file(std::filesystem::path(flags.out) / (stem + ".json"), json);
  write_result_file(std::filesystem::path(flags.out) / (stem + ".csv"),
                    comparison_csv(comparison));
}

void compare(const std::vector<std::string>& paths, const OptionTable& table,
             const EvalFlags& flags) {
  const std::vector<NamedRun> runs = asked_runs(paths, table, flags);
  const EvaluatedRun a = evaluate_named(runs.at(0), table, flags);
  const EvaluatedRun b = evaluate_named(runs.at(1), table, flags);
  require_same_tokens({runs[0].name, a.tokens}, {runs[1].name, b.tokens});
  report_comparison(compare_runs(a.tokens, a.result, b.result), flags);
}

}  // namespace

EvalVerb compare_verb() {
  const auto paths = std::make_shared<std::vector<std::string>>();
  EvalVerb verb;
  verb.name = "compare";
  verb.says = "The paired difference of two runs on the same tokens, with its interval";
  verb.takes = {"--split", "--data",           "--tokens", "--context", "--context-mode",
                "--segment", "--stride", "--lanes", "--set", kModelGroup,
                "--json",  "--csv",            "--out"};
  verb.reason = "takes its two runs as A B and scores one text with both";
  verb.add_flags = [paths](CLI::App& own) {
    own.add_option("runs", *paths, "The two runs A and B")
        ->required()
        ->expected(2)
        ->type_name("A B");
  };
  verb.run = [paths](const OptionTable& table, const EvalFlags& flags) {
    compare(*paths, table, flags);
  };
  return verb;
}

}  // namespace lc

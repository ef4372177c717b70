#include "lceval/compare.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <utility>

#include "common/value_checks.h"
#include "config/json_text.h"
#include "core/error.h"
#include "eval/comparison/compare.h"
#include "lceval/each_run.h"
#include "lceval/output.h"
#include "lceval/runs.h"
#include "report/comparison_report.h"
#include "report/report_files.h"
#include "report/table_results.h"
#include "report/token_gains_report.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

// As typed.
struct CompareFlags {
  std::vector<std::string> paths;
  int64_t top = kUsualTop;
};

// "out.csv" -> "out_tokens.csv": the second table of a comparison.
fs::path tokens_file(const fs::path& csv) {
  return csv.parent_path() / (csv.stem().string() + "_tokens" + csv.extension().string());
}

void write_both_csv(const Comparison& comparison, const fs::path& file, int64_t top) {
  write_result_file(file, comparison_csv(comparison));
  write_result_file(tokens_file(file), gains_csv(*comparison.gains, top));
}

void report_comparison(const Comparison& comparison, int64_t top, const EvalFlags& flags) {
  const std::vector<RunResult> results = {comparison.a, comparison.b};
  const std::string json = json_text(comparison_json(comparison, top), flags.json ? -1 : 2) + "\n";
  if (flags.json) {
    print_result(json);
  } else {
    print_result(results_table(results) + "\n" + comparison_text(comparison) + "\n" +
                 gains_text(*comparison.gains, top, {comparison.a.name, comparison.b.name}) + "\n");
    for (const RunResult& result : results) print_protocol(result);
  }
  if (!flags.csv.empty()) write_both_csv(comparison, flags.csv, top);
  if (!flags.plot.empty()) {
    write_result_file(flags.plot, svg_dot_plot(comparison_plot(comparison)));
  }
  if (flags.out.empty()) return;
  const std::string stem = "compare_" + report_stem(comparison.a);
  write_result_file(fs::path(flags.out) / (stem + ".json"), json);
  write_both_csv(comparison, fs::path(flags.out) / (stem + ".csv"), top);
  write_result_file(fs::path(flags.out) / (stem + ".svg"),
                    svg_dot_plot(comparison_plot(comparison)));
}

void compare(const CompareFlags& own, const OptionTable& table, const EvalFlags& flags) {
  check_context_mode(flags);
  const std::vector<NamedRun> runs = asked_runs(own.paths, table, flags);
  if (runs.size() != 2) {
    throw Error(ErrorKind::kUsage, "compare",
                own.paths[0] + " and " + own.paths[1] + " hold " + std::to_string(runs.size()) +
                    " runs together",
                "name two, each by its own folder");
  }
  bool first = true;
  const auto evaluated =
      for_each_run<EvaluatedRun>(runs, UselessRun::kRefused, [&](const NamedRun& run) {
        const bool looked_up = std::exchange(first, false);
        return evaluate_named(run, table, flags,
                              looked_up ? TrainText::kOfOwnSplits : TrainText::kUnread);
      });
  const EvaluatedRun& a = evaluated.at(0);
  const EvaluatedRun& b = evaluated.at(1);
  require_same_tokens({runs[0].name, a.tokens}, {runs[1].name, b.tokens});
  Comparison comparison = compare_runs(a.tokens, a.result, b.result);
  comparison.gains =
      token_gains({a.tokens, *a.tokenizer},
                  paired_scores(a.result.evaluation.scores, b.result.evaluation.scores),
                  a.train ? &*a.train : nullptr);
  report_comparison(comparison, own.top, flags);
}

}  // namespace

EvalVerb compare_verb() {
  const auto own_flags = std::make_shared<CompareFlags>();
  EvalVerb verb;
  verb.name = "compare";
  verb.says = "The paired difference of two runs on the same tokens, with its interval";
  verb.takes = {"--split",  "--data",  "--tokens", "--context", "--context-mode", "--segment",
                "--stride", "--lanes", "--set",    kModelGroup, kMachineGroup,    kDynamicGroup,
                "--json",   "--csv",   "--plot",   "--out"};
  verb.reason = "takes its two runs as A B and scores one text with both";
  verb.add_flags = [own_flags](CLI::App& own) {
    own.add_option("runs", own_flags->paths, "The two runs A and B")
        ->required()
        ->check(not_empty_path())
        ->expected(2)
        ->check(not_empty_path())
        ->type_name("A B");
    own.add_option("--top", own_flags->top, "Words and tokens that gain, of each run (10)")
        ->check(whole_number_from(1))
        ->type_name("N");
  };
  verb.run = [own_flags](const OptionTable& table, const EvalFlags& flags) {
    compare(*own_flags, table, flags);
  };
  return verb;
}

}  // namespace lc

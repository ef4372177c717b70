// lceval: perplexity, bits per byte and loss against context length of trained runs.
//
//   lceval --checkpoint RUN [RUN ...] [flags]
//   lceval compare A B [flags]
//   lceval slices --checkpoint RUN [RUN ...] --by frequency|subword|... [flags]
//   lceval passkey --checkpoint RUN --lengths LIST [flags]
//   lceval recl --checkpoint RUN RUN [flags]
//   lceval speed --checkpoint RUN --context LIST [flags]
//   lceval attention --checkpoint RUN [RUN ...] [flags]
//   lceval report RUN ... [--out report.html]
//   lceval --memory-footprint --checkpoint RUN [RUN ...]
//
// Runs may be named without --checkpoint too.
// Tables and JSON go to stdout, progress and messages to stderr, report files to RUN/eval
// (src/eval/README.md).
#include <CLI/CLI.hpp>

#include "common/app_main.h"
#include "common/full_option_table.h"
#include "common/runtime_flags.h"
#include "core/log.h"
#include "eval/comparison/compare.h"
#include "lceval/each_run.h"
#include "lceval/flags.h"
#include "lceval/output.h"
#include "lceval/paths.h"
#include "lceval/runs.h"
#include "lceval/verb.h"
#include "report/token_dump.h"

namespace lc {
namespace {

const std::vector<int64_t>& swept_targets(const EvaluatedRun& run) {
  return run.result.sweep->points.front().evaluation.scores.targets;
}

void evaluate(const OptionTable& table, const EvalFlags& flags) {
  if (!flags.records.empty()) return score_records(table, flags);
  if (!flags.dump_nll.empty()) asked_run("--dump-nll", table, flags);  // that it is one
  const std::vector<EvaluatedRun> evaluated = for_each_run<EvaluatedRun>(
      asked_runs(flags.checkpoints, table, flags), UselessRun::kLeftOut,
      [&](const NamedRun& run) { return evaluate_named(run, table, flags); },
      [&](const EvaluatedRun& first, const EvaluatedRun& run) {
        if (flags.contexts.empty()) return;
        require_same_tokens({first.result.name, first.tokens}, {run.result.name, run.tokens});
        require_same_targets({first.result.name, swept_targets(first)},
                             {run.result.name, swept_targets(run)});
      });
  report(evaluated, flags);
  if (flags.dump_nll.empty()) return;
  const EvaluatedRun& only = evaluated.front();
  dump_token_scores({only.tokens, *only.tokenizer}, only.result.evaluation.scores, flags.dump_nll);
  log_info("wrote " + flags.dump_nll);
}

int run(int argc, char** argv) {
  const OptionTable table = full_option_table();
  EvalFlags flags;
  CLI::App app(
      "Evaluates trained models: perplexity, bits per byte, loss against context length, passkey "
      "retrieval",
      "lceval");
  flags.command = command_line(argc, argv);
  add_flags(app, table, flags);
  const std::vector<EvalVerb> verbs = eval_verbs();
  add_verbs(app, verbs);
  parse_flags(app, argc, argv, [&](const CLI::Option& flag) {
    const EvalVerb* called = called_verb(app, verbs);
    return called == nullptr || takes_flag(*called, flag);
  });
  refuse_misspelt_verb(flags.checkpoints, verbs);
  const EvalVerb* verb = called_verb(app, verbs);
  if (verb) check_verb_flags(app, *verb);
  check_output_files(flags);
  const bool folder = verb == nullptr || !verb->out_is_file;
  if (folder && !flags.out.empty()) check_output("--out", flags.out, Output::kFolder);
  finish_flags(flags);
  if (!verb) check_evaluation_flags(flags);
  naming_flags(flags.runtime, [&] { verb ? verb->run(table, flags) : evaluate(table, flags); });
  return 0;
}

}  // namespace
}  // namespace lc

int main(int argc, char** argv) { return lc::run_app(argc, argv, lc::run); }

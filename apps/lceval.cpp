// lceval: perplexity, bits per byte and loss against context length of trained runs.
//
//   lceval --checkpoint RUN [--checkpoint RUN ...] [flags]
//   lceval compare A B [flags]
//   lceval passkey --checkpoint RUN --lengths LIST [flags]
//   lceval --memory-footprint --checkpoint RUN [--checkpoint RUN ...]
//
// Tables and JSON go to stdout, progress and messages to stderr, report files to RUN/eval
// (src/eval/README.md).
#include <CLI/CLI.hpp>

#include "common/app_main.h"
#include "common/full_option_table.h"
#include "lceval_flags.h"
#include "lceval_footprint.h"
#include "lceval_output.h"
#include "lceval_passkey.h"
#include "lceval_runs.h"

namespace lc {
namespace {

void evaluate(const OptionTable& table, const EvalFlags& flags) {
  const bool comparing = !flags.compared.empty();
  const std::vector<NamedRun> runs = named_runs(comparing ? flags.compared : flags.checkpoints);
  check_runtime_flags(runs, table, flags);
  if (flags.passkey) return score_passkey(runs.front(), table, flags);
  if (flags.memory_footprint) return report(footprints(runs, table, flags), flags);
  if (!flags.records.empty()) return score_records(runs.front(), table, flags);
  std::vector<EvaluatedRun> evaluated;
  for (const NamedRun& run : runs) {
    evaluated.push_back(evaluate_named(run, table, flags));
    if (comparing || !flags.contexts.empty()) {
      require_same_tokens({runs.front().name, evaluated.front().tokens},
                          {run.name, evaluated.back().tokens});
    }
  }
  if (!comparing) return report(evaluated, flags);
  report(compare_runs(evaluated[0].tokens, evaluated[0].result, evaluated[1].result), flags);
}

int run(int argc, char** argv) {
  const OptionTable table = full_option_table();
  EvalFlags flags;
  CLI::App app(
      "Evaluates trained models: perplexity, bits per byte, loss against context length, passkey "
      "retrieval");
  add_flags(app, table, flags);
  parse_flags(app, argc, argv);
  finish_flags(flags);
  evaluate(table, flags);
  return 0;
}

}  // namespace
}  // namespace lc

int main(int argc, char** argv) { return lc::run_app(argc, argv, lc::run); }

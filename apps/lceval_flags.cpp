#include "lceval_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "common/app_main.h"
#include "common/runtime_flags.h"
#include "core/error.h"
#include "eval/number_list.h"

namespace lc {
namespace {

[[noreturn]] void refuse(const std::string& flag, const std::string& what,
                         const std::string& remedy) {
  throw Error(ErrorKind::kUsage, flag, what, remedy);
}

void add_text_flags(CLI::App& app, EvalFlags& flags) {
  app.add_option("--checkpoint", flags.checkpoints,
                 "Run folder, step folder, or a folder of runs; may be repeated")
      ->type_name("RUN");
  app.add_option("--split", flags.split, "Split to score (test if there is one, else valid)")
      ->check(CLI::IsMember({"train", "valid", "test"}));
  app.add_option("--data", flags.data, "Score this file, folder or glob instead of the run's text")
      ->type_name("PATH");
  app.add_option("--records", flags.records,
                 "With --data: every line is a document of its own, one JSON line out for each")
      ->check(CLI::IsMember({"lines"}));
  app.add_option("--tokens", flags.request.tokens, "Score the first N targets only")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
}

void add_protocol_flags(CLI::App& app, const OptionTable& table, EvalFlags& flags) {
  app.add_option("--context", flags.contexts,
                 "Loss against context length: 0,64,128,... on the same targets")
      ->type_name("LIST");
  app.add_option("--context-mode", flags.context_mode,
                 "strict (default): windows from initial memory; span: one pass a length, with "
                 "memory and a fixed span")
      ->check(CLI::IsMember({"strict", "span"}));
  app.add_option("--sweep", flags.sweep,
                 "The split under each of these runtime values: --sweep memory=64,128; given twice "
                 "under each combination")
      ->allow_extra_args(false)
      ->type_name("FLAG=LIST");
  app.add_option("--segment", flags.request.segment,
                 "Segment length in tokens; the window of a model without memory")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  app.add_option("--stride", flags.request.stride,
                 "Stride in tokens of a model without memory (half the window)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  app.add_option("--lanes", flags.request.lanes, "Lanes side by side; they never change a result")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  add_runtime_flags(app, table, flags.runtime);
  app.add_flag_callback(
      "--diagnose", [&flags] { flags.request.diagnosis = Diagnosis::kKnockOut; },
      "Also what the model measures of itself (gates, readings of memory), and the loss with its "
      "memory knocked out");
  app.add_flag(
      "--memory-footprint", flags.memory_footprint,
      "No text: what each run carries from segment to segment, what a segment takes beside "
      "that, and how far back it reaches");
  app.add_option("--set", flags.settings, "Another config value for this evaluation, path=value")
      ->type_name("KEY=VALUE");
}

void add_output_flags(CLI::App& app, EvalFlags& flags) {
  app.add_flag("--json", flags.json, "One JSON object on stdout instead of tables");
  app.add_option("--csv", flags.csv, "Also write the numbers as CSV")->type_name("FILE");
  app.add_option("--plot", flags.plot,
                 "Write the plot over context lengths, all runs in one, or the heat map of passkey")
      ->type_name("FILE.svg");
  app.add_option("--out", flags.out, "Folder of the report files (RUN/eval)")->type_name("DIR");
}

void add_passkey(CLI::App& app, EvalFlags& flags) {
  CLI::App* passkey = app.add_subcommand(
      "passkey", "Whether a number hidden in a long prompt is found again, by length and depth");
  PasskeyFlags& own = flags.passkey_flags;
  passkey->add_option("--lengths", own.lengths, "Lengths of the prompt in bytes: 1000,4000")
      ->required()
      ->type_name("LIST");
  passkey
      ->add_option("--depths", own.depths,
                   "Where the number stands, from 0 (start) to 1 (end); 0,0.25,0.5,0.75,1")
      ->type_name("LIST");
  passkey->add_option("--samples", own.samples, "Prompts of each length and depth (50)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  passkey->add_option("--format", own.format, "newline (default), space or toy")
      ->type_name("FORMAT");
  passkey->add_option("--seed", own.seed, "Seed of the prompts (1)")->type_name("N");
  passkey->fallthrough();
  passkey->callback([&flags] { flags.passkey = true; });
}

// Each once.
template <typename T>
std::vector<T> ascending(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

void check_passkey_flags(EvalFlags& flags) {
  if (flags.checkpoints.size() != 1) {
    refuse("passkey", "takes one run", "call lceval once for each run");
  }
  if (!flags.split.empty() || !flags.data.empty() || !flags.contexts.empty() ||
      !flags.sweep.empty() || !flags.records.empty() || flags.request.stride ||
      flags.request.tokens || flags.request.lanes || flags.request.diagnosis != Diagnosis::kNone) {
    refuse("passkey", "makes its own prompts and reads each of them whole",
           "leave out --split, --data, --records, --context, --sweep, --stride, --tokens, "
           "--lanes and --diagnose");
  }
  const PasskeyFlags& own = flags.passkey_flags;
  PasskeyRequest& request = flags.passkey_request;
  request.format = passkey_format(own.format, "--format");
  request.lengths = ascending(parse_whole_numbers(own.lengths, "--lengths", "length in bytes"));
  request.depths = ascending(parse_numbers(own.depths, "--depths", "depth"));
  request.samples = own.samples;
  request.seed = own.seed;
  check_passkey(request);
}

void check_sweep(EvalFlags& flags) {
  if (flags.sweep.empty()) return;
  if (!flags.contexts.empty() || !flags.compared.empty() || !flags.records.empty()) {
    refuse("--sweep", "scores a split as a whole", "leave out --context, --records and compare");
  }
  flags.request.sweep = parse_sweep(flags.sweep);
  for (const SweepAxis& axis : flags.request.sweep) {
    if (!flags.runtime.contains(axis.flag)) continue;
    refuse("--sweep", axis.flag + " is also set by --" + axis.flag, "leave one of them out");
  }
}

void check_records(const EvalFlags& flags) {
  if (flags.records.empty()) return;
  if (flags.data.empty()) refuse("--records", "needs a file of records", "name it with --data");
  if (!flags.contexts.empty() || !flags.csv.empty() || !flags.plot.empty() ||
      flags.request.diagnosis != Diagnosis::kNone) {
    refuse("--records", "gives one JSON line for each record and nothing else",
           "leave out --context, --csv, --plot and --diagnose");
  }
  if (flags.checkpoints.size() > 1 || !flags.compared.empty()) {
    refuse("--records", "takes one run", "call lceval once for each run");
  }
}

void check_footprint(const EvalFlags& flags) {
  if (!flags.memory_footprint) return;
  const EvaluationRequest& request = flags.request;
  const bool scores = !flags.compared.empty() || flags.passkey || !flags.split.empty() ||
                      !flags.data.empty() || !flags.records.empty() || !flags.contexts.empty() ||
                      !flags.sweep.empty() || request.tokens || request.stride ||
                      request.diagnosis != Diagnosis::kNone;
  if (!scores) return;
  refuse("--memory-footprint", "reads no text and scores nothing",
         "leave out compare, passkey, --split, --data, --records, --tokens, --context, --sweep, "
         "--stride and --diagnose, or call lceval twice");
}

}  // namespace

void add_flags(CLI::App& app, const OptionTable& table, EvalFlags& flags) {
  add_text_flags(app, flags);
  add_protocol_flags(app, table, flags);
  add_output_flags(app, flags);
  add_machine_flags(app, flags.machine);
  add_common_flags(app);
  CLI::App* compare = app.add_subcommand(
      "compare", "The paired difference of two runs on the same tokens, with its interval");
  compare->add_option("runs", flags.compared, "The two runs A and B")
      ->required()
      ->expected(2)
      ->type_name("A B");
  compare->fallthrough();
  add_passkey(app, flags);
}

void finish_flags(EvalFlags& flags) {
  if (flags.checkpoints.empty() && flags.compared.empty()) {
    refuse("--checkpoint", "names no run", "give a run folder, such as --checkpoint runs/xl");
  }
  if (!flags.checkpoints.empty() && !flags.compared.empty()) {
    refuse("--checkpoint", "does not go with compare", "name the two runs as compare A B");
  }
  check_footprint(flags);
  if (flags.passkey) return check_passkey_flags(flags);
  if (!flags.data.empty() && !flags.split.empty()) {
    refuse("--split", "does not go with --data, which is scored whole", "leave one of them out");
  }
  if (!flags.plot.empty() && flags.contexts.empty()) {
    refuse("--plot", "shows loss against context length", "give the lengths with --context");
  }
  if (!flags.plot.empty() && !flags.compared.empty()) {
    refuse("--plot", "does not go with compare",
           "plot both runs with --checkpoint A --checkpoint B --context LIST");
  }
  if (flags.request.diagnosis != Diagnosis::kNone && !flags.compared.empty()) {
    refuse("--diagnose", "does not go with compare", "diagnose the runs with --checkpoint");
  }
  if (!flags.context_mode.empty() && flags.contexts.empty()) {
    refuse("--context-mode", "says how context lengths are measured, but there are none",
           "give them with --context");
  }
  check_records(flags);
  check_sweep(flags);
  if (flags.contexts.empty()) return;
  flags.request.contexts = parse_contexts(flags.contexts);
  flags.request.mode = flags.context_mode == "span" ? ContextMode::kSpan : ContextMode::kStrict;
}

}  // namespace lc

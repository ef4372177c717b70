#include "lceval/flags.h"

#include <CLI/CLI.hpp>
#include <functional>

#include "common/app_main.h"
#include "common/runtime_flags.h"
#include "common/value_checks.h"
#include "core/error.h"

namespace lc {
namespace {

[[noreturn]] void refuse(const std::string& flag, const std::string& what,
                         const std::string& remedy) {
  throw Error(ErrorKind::kUsage, flag, what, remedy);
}

void add_text_flags(CLI::App& app, EvalFlags& flags) {
  app.add_option("--checkpoint,runs", flags.checkpoints,
                 "Run folder, step folder, or a folder of runs; as many as you like, with the "
                 "flag or without it")
      ->check(not_empty_path())
      ->type_name("RUN");
  app.add_option("--split", flags.split, "Split to score (test if there is one, else valid)")
      ->check(CLI::IsMember({"train", "valid", "test"}));
  app.add_option("--data", flags.data, "Score this file, folder or glob instead of the run's text")
      ->check(not_empty_path())
      ->type_name("PATH");
  app.add_option("--records", flags.records,
                 "With --data: every line is a document of its own, one JSON line out for each; "
                 "empty lines have none")
      ->check(CLI::IsMember({"lines"}));
  app.add_option("--tokens", flags.request.tokens, "Score the first N targets only")
      ->check(whole_number_from(1))
      ->type_name("N");
}

void add_protocol_flags(CLI::App& app, EvalFlags& flags) {
  app.add_option("--context", flags.contexts,
                 "Loss against context length: 0,64,128,... on the same targets")
      ->check(not_empty_list())
      ->type_name("LIST");
  app.add_option("--context-mode", flags.context_mode,
                 "strict (default): windows from initial memory; span: one pass a length, with "
                 "memory and a fixed span")
      ->check(CLI::IsMember({"strict", "span"}));
  app.add_option("--sweep", flags.sweep,
                 "The split under each of these values of the model: --sweep memory=64,128; given "
                 "twice under each combination")
      ->allow_extra_args(false)
      ->type_name("FLAG=LIST");
  app.add_option("--segment", flags.request.segment,
                 "Segment length in tokens; the window of a model without memory")
      ->check(whole_number_from(1))
      ->type_name("N");
  app.add_option("--stride", flags.request.stride,
                 "Stride in tokens of a model without memory (half the window)")
      ->check(whole_number_from(1))
      ->type_name("N");
  app.add_option("--lanes", flags.request.lanes, "Lanes side by side; they never change a result")
      ->check(whole_number_from(1))
      ->type_name("N");
  app.add_flag_callback(
      "--diagnose", [&flags] { flags.request.diagnosis = Diagnosis::kKnockOut; },
      "Also what the model measures of itself (gates, readings of memory), and the loss with its "
      "memory knocked out");
  app.add_option("--set", flags.settings,
                 "Another config value for this evaluation, path=value; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
}

void add_dynamic_flags(CLI::App& app, DynamicFlags& flags) {
  app.add_option("--dynamic", flags.rule,
                 "Weights learn from the text while it is scored, each token after it is scored: "
                 "sgd, or rms with statistics of the training text")
      ->check(CLI::IsMember({"sgd", "rms"}));
  app.add_option("--dynamic-lr", flags.learning_rate, "Learning rate, to be tuned on another split")
      ->check(finite_number())
      ->type_name("X");
  app.add_option("--dynamic-decay", flags.decay,
                 "Share of the way back to the trained weights after each segment (0)")
      ->check(finite_number())
      ->type_name("X");
  app.add_option("--dynamic-epsilon", flags.epsilon, "Added to the root mean squares of rms (2e-5)")
      ->check(finite_number())
      ->type_name("X");
  app.add_option("--dynamic-statistics", flags.statistics,
                 "Segments of the training text that rms takes its statistics from (500)")
      ->check(whole_number_from(1))
      ->type_name("N");
}

void add_output_flags(CLI::App& app, EvalFlags& flags) {
  app.add_flag("--json", flags.json, "One JSON object on stdout instead of tables");
  app.add_option("--csv", flags.csv, "Also write the numbers as CSV")
      ->check(not_empty_path())
      ->type_name("FILE");
  app.add_option("--plot", flags.plot,
                 "Write the plot: over context lengths, all runs in one; of a dynamic evaluation, "
                 "along the text; of --diagnose or a verb, its own")
      ->check(not_empty_path())
      ->type_name("FILE.svg");
  app.add_option("--dump-nll", flags.dump_nll,
                 "Also write a line for each scored token: document, position, byte offset, id, "
                 "text, loss (CSV)")
      ->check(not_empty_path())
      ->type_name("FILE");
  app.add_option("--out", flags.out, "Folder of the report files (RUN/eval); the page of report")
      ->check(not_empty_path())
      ->type_name("DIR");
}

DynamicSettings dynamic_settings(const DynamicFlags& flags) {
  if (!flags.learning_rate) {
    refuse("--dynamic", "needs a learning rate, which depends on the model",
           "give one with --dynamic-lr, tuned on the split valid");
  }
  DynamicSettings settings;
  settings.step.rule = flags.rule == "rms" ? DynamicRule::kRms : DynamicRule::kSgd;
  settings.step.learning_rate = *flags.learning_rate;
  settings.step.decay = flags.decay.value_or(settings.step.decay);
  settings.step.epsilon = flags.epsilon.value_or(settings.step.epsilon);
  settings.statistics_segments = flags.statistics.value_or(settings.statistics_segments);
  if (settings.step.rule == DynamicRule::kSgd && (flags.epsilon || flags.statistics)) {
    refuse("--dynamic", "\"sgd\" takes no statistics of the training text",
           "leave out --dynamic-epsilon and --dynamic-statistics, or choose rms");
  }
  check_dynamic(settings);
  return settings;
}

// Fills in the request.
void finish_dynamic(EvalFlags& flags) {
  const DynamicFlags& dynamic = flags.dynamic;
  if (dynamic.rule.empty()) {
    if (dynamic.learning_rate || dynamic.decay || dynamic.epsilon || dynamic.statistics) {
      refuse("--dynamic", "isn't given, so nothing is learned at a rate or decays",
             "choose a rule with --dynamic sgd or --dynamic rms");
    }
    return;
  }
  const EvaluationRequest& request = flags.request;
  if (!flags.contexts.empty() || !flags.sweep.empty() || !flags.records.empty() || request.lanes ||
      request.diagnosis != Diagnosis::kNone) {
    refuse("--dynamic", "reads one text once, in its order",
           "leave out --context, --sweep, --records, --lanes and --diagnose");
  }
  flags.request.dynamic = dynamic_settings(dynamic);
}

void check_sweep(const EvalFlags& flags) {
  if (flags.sweep.empty()) return;
  if (!flags.contexts.empty() || !flags.records.empty()) {
    refuse("--sweep", "scores a split as a whole", "leave out --context and --records");
  }
  for (const SweepAxis& axis : flags.request.sweep) {
    if (!flags.runtime.contains(axis.flag)) continue;
    refuse("--sweep", axis.flag + " is also set by --" + axis.flag, "leave one of them out");
  }
}

void check_records(const EvalFlags& flags) {
  if (flags.records.empty()) return;
  if (flags.data.empty()) refuse("--records", "needs a file of records", "name it with --data");
  if (!flags.contexts.empty() || !flags.csv.empty() || !flags.plot.empty() ||
      !flags.dump_nll.empty() || flags.request.diagnosis != Diagnosis::kNone) {
    refuse("--records", "gives one JSON line for each record and nothing else",
           "leave out --context, --csv, --plot, --dump-nll and --diagnose");
  }
}

}  // namespace

void add_flags(CLI::App& app, const OptionTable& table, EvalFlags& flags) {
  const auto in_group = [&app](const char* group, const std::function<void()>& add) {
    app.option_defaults()->group(group);
    add();
    app.option_defaults()->group("Options");
  };
  in_group("Runs and texts", [&] { add_text_flags(app, flags); });
  in_group("Protocol", [&] { add_protocol_flags(app, flags); });
  in_group(kModelGroup, [&] { add_runtime_flags(app, table, flags.runtime); });
  in_group(kDynamicGroup, [&] { add_dynamic_flags(app, flags.dynamic); });
  in_group("Results", [&] { add_output_flags(app, flags); });
  in_group(kMachineGroup, [&] { add_machine_flags(app, flags.machine); });
  add_common_flags(app);
}

void finish_flags(EvalFlags& flags) {
  if (!flags.data.empty() && !flags.split.empty()) {
    refuse("--split", "does not go with --data, which is scored whole", "leave one of them out");
  }
  if (!flags.sweep.empty()) flags.request.sweep = parse_sweep(flags.sweep);
  finish_dynamic(flags);
  flags.request.mode = flags.context_mode == "span" ? ContextMode::kSpan : ContextMode::kStrict;
  if (!flags.contexts.empty()) flags.request.contexts = parse_contexts(flags.contexts);
}

void check_context_mode(const EvalFlags& flags) {
  if (flags.context_mode.empty() || !flags.contexts.empty()) return;
  refuse("--context-mode", "says how context lengths are measured, but there are none",
         "give them with --context");
}

void check_evaluation_flags(const EvalFlags& flags) {
  if (flags.checkpoints.empty()) refuse_without_run();
  check_context_mode(flags);
  if (!flags.plot.empty() && flags.contexts.empty() && !flags.request.dynamic &&
      flags.request.diagnosis == Diagnosis::kNone) {
    refuse("--plot", "shows loss against context length, a dynamic evaluation or a diagnosis",
           "give lengths with --context, or --dynamic or --diagnose");
  }
  check_records(flags);
  check_sweep(flags);
}

void refuse_without_run() {
  refuse("--checkpoint", "names no run", "give a run folder, such as --checkpoint runs/xl");
}

}  // namespace lc

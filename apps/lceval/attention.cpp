#include "lceval/attention.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "common/load_run.h"
#include "common/value_checks.h"
#include "config/json_text.h"
#include "eval/stream_evaluation.h"
#include "lceval/each_run.h"
#include "lceval/output.h"
#include "lceval/runs.h"
#include "report/attention_mass_report.h"

namespace lc {
namespace {

struct MeasuredAttention {
  AttentionResult result;
  OwnFiles files;
};

MeasuredAttention measure_attention(const NamedRun& run, int64_t buckets, const OptionTable& table,
                                    const EvalFlags& flags) {
  const auto [ready, tokens, files] = with_text(run, table, flags);
  const EvaluationSettings settings = requested_settings(ready.config, flags.request);
  check_segment_length(ready.config, segment_of(settings, flags.request));
  AttentionMassProbe probe;
  const Evaluation evaluation = evaluate_observed(*ready.model, tokens, settings, &probe);
  MeasuredAttention measured{{run.name, probe.mass(buckets), evaluation.protocol}, files};
  measured.result.protocol.update(ready.source);
  measured.result.protocol["buckets"] = buckets;
  return measured;
}

WriteFiles attention_files(const std::vector<AttentionResult>& results) {
  return [results](const FilePlace& place) { return write_attention_report(results, place); };
}

void report_attention(const std::vector<MeasuredAttention>& runs, const EvalFlags& flags) {
  std::vector<AttentionResult> results;
  for (const MeasuredAttention& run : runs) results.push_back(run.result);
  if (flags.json) {
    print_result(json_text(attention_json(results), -1) + "\n");
  } else {
    for (const AttentionResult& result : results) {
      print_result(attention_table(result) + "\n");
      print_protocol(result.name, result.protocol);
    }
  }
  if (!flags.csv.empty()) write_result_file(flags.csv, attention_csv(results));
  if (!flags.plot.empty()) write_result_file(flags.plot, svg_bars(attention_chart(results)));
  if (!flags.out.empty()) {
    return write_files(attention_files(results), {flags.out, runs.front().files.split});
  }
  for (const MeasuredAttention& run : runs) {
    write_own_files(attention_files({run.result}), run.files);
  }
}

}  // namespace

EvalVerb attention_verb() {
  const auto buckets = std::make_shared<int64_t>(6);
  EvalVerb verb;
  verb.name = "attention";
  verb.says =
      "How much attention goes to compressed memory, memory and the segment, by age and layer";
  verb.takes = {"--checkpoint", "--split", "--data", "--tokens",  "--segment",
                "--stride",     "--lanes", "--set",  kModelGroup, kMachineGroup,
                "--json",       "--csv",   "--plot", "--out"};
  verb.reason = "watches the model while it scores a split as a whole";
  verb.add_flags = [buckets](CLI::App& own) {
    own.add_option("--buckets", *buckets, "Buckets of equal size of each kind of keys (6)")
        ->check(whole_number_from(1))
        ->type_name("N");
  };
  verb.run = [buckets](const OptionTable& table, const EvalFlags& flags) {
    const auto runs = for_each_run<MeasuredAttention>(
        asked_runs(flags.checkpoints, table, flags), UselessRun::kLeftOut,
        [&](const NamedRun& run) { return measure_attention(run, *buckets, table, flags); });
    report_attention(runs, flags);
  };
  return verb;
}

}  // namespace lc

#include "lceval_attention.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "common/load_run.h"
#include "core/error.h"
#include "core/log.h"
#include "eval/attention_mass_report.h"
#include "eval/report_files.h"
#include "eval/stream_evaluation.h"
#include "eval/table_results.h"
#include "lceval_output.h"
#include "lceval_runs.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

struct MeasuredAttention {
  AttentionResult result;
  std::string split;
  fs::path report_folder;  // RUN/eval
};

MeasuredAttention measure_attention(const NamedRun& run, int64_t buckets, const OptionTable& table,
                                    const EvalFlags& flags) {
  const auto [ready, tokens] = with_text(run, table, flags);
  const EvaluationSettings settings = requested_settings(ready.config, flags.request);
  check_segment_length(ready.config, segment_of(settings, flags.request));
  AttentionMassProbe probe;
  const Evaluation evaluation = evaluate_observed(*ready.model, tokens, settings, &probe);
  MeasuredAttention measured{{run.name, probe.mass(buckets), evaluation.protocol},
                             ready.source.at("split"),
                             ready.loaded.folder.evaluations()};
  measured.result.protocol.update(ready.source);
  measured.result.protocol["buckets"] = buckets;
  return measured;
}

void write_attention_files(const std::vector<AttentionResult>& results, const fs::path& folder,
                           const std::string& split) {
  for (const fs::path& file : write_attention_report(results, folder, split + "_attention")) {
    log_info("wrote " + file.string());
  }
}

// Each run's in its own folder; one that can't be written there costs a warning only.
void write_own_files(const std::vector<MeasuredAttention>& runs) {
  for (const MeasuredAttention& run : runs) {
    try {
      write_attention_files({run.result}, run.report_folder, run.split);
    } catch (const Error& error) {
      log_warning(error.what());
    }
  }
}

void report_attention(const std::vector<MeasuredAttention>& runs, const EvalFlags& flags) {
  std::vector<AttentionResult> results;
  for (const MeasuredAttention& run : runs) results.push_back(run.result);
  if (flags.json) {
    print_result(json_text(attention_json(results), -1) + "\n");
  } else {
    for (const AttentionResult& result : results) {
      print_result(attention_table(result) + "\nprotocol of " + result.name + ": " +
                   protocol_line(result.protocol) + "\n");
    }
  }
  if (!flags.csv.empty()) write_result_file(flags.csv, attention_csv(results));
  if (!flags.plot.empty()) write_result_file(flags.plot, svg_bars(attention_chart(results)));
  if (flags.out.empty()) return write_own_files(runs);
  write_attention_files(results, flags.out, runs.front().split);
}

}  // namespace

EvalVerb attention_verb() {
  const auto buckets = std::make_shared<int64_t>(6);
  EvalVerb verb;
  verb.name = "attention";
  verb.says =
      "How much attention goes to compressed memory, memory and the segment, by age and layer";
  verb.takes = {"--checkpoint", "--split", "--data", "--tokens",  "--segment",
                "--stride",     "--lanes", "--set",  kModelGroup, "--json",
                "--csv",        "--plot",  "--out"};
  verb.reason = "watches the model while it scores a split as a whole";
  verb.add_flags = [buckets](CLI::App& own) {
    own.add_option("--buckets", *buckets, "Buckets of equal size of each kind of keys (6)")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
  };
  verb.run = [buckets](const OptionTable& table, const EvalFlags& flags) {
    std::vector<MeasuredAttention> runs;
    for (const NamedRun& run : asked_runs(flags.checkpoints, table, flags)) {
      runs.push_back(measure_attention(run, *buckets, table, flags));
    }
    report_attention(runs, flags);
  };
  return verb;
}

}  // namespace lc

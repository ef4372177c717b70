#include "lceval/footprint.h"

#include <filesystem>

#include "common/load_run.h"
#include "config/json_text.h"
#include "core/file_io.h"
#include "lceval/each_run.h"
#include "lceval/output.h"
#include "lceval/runs.h"
#include "models/registry.h"
#include "report/footprint_results.h"

namespace lc {
namespace {

FootprintResult footprint_of(const NamedRun& run, const OptionTable& table,
                             const EvalFlags& flags) {
  const RunOutline outline = outline_run(table, {run.path, flags.machine});
  const Config config = with_flags(run, table, outline.config, flags);
  const EvaluationSettings settings = requested_settings(config, flags.request);
  check_segment_length(config, segment_of(settings, flags.request));
  ParameterSetup setup = parameter_setup(config);
  setup.device = at::kMeta;
  const auto model = build_model(config, {outline.vocab_size, setup});
  return {run.name, config.get<std::string>("model.type"), settings.segment_length,
          settings.sequence_segments,
          model->footprint(settings.segment_length, MemoryUse::kInference)};
}

void report_footprints(const std::vector<FootprintResult>& results, const EvalFlags& flags) {
  const nlohmann::json json = footprint_json(results);
  print_result(flags.json ? json_text(json, -1) + "\n" : footprint_table(results));
  if (!flags.csv.empty()) write_result_file(flags.csv, footprint_csv(results));
  if (flags.out.empty()) return;
  const std::filesystem::path folder = flags.out;
  write_result_file(folder / "memory_footprint.json", json_text(json, 2) + "\n");
  write_result_file(folder / "memory_footprint.csv", footprint_csv(results));
}

// At evaluation, with the values that the flags ask for. No text is read.
void show_footprints(const OptionTable& table, const EvalFlags& flags) {
  report_footprints(for_each_run<FootprintResult>(
                        asked_runs(flags.checkpoints, table, flags), UselessRun::kLeftOut,
                        [&](const NamedRun& run) { return footprint_of(run, table, flags); }),
                    flags);
}

}  // namespace

EvalVerb footprint_verb() {
  EvalVerb verb;
  verb.name = "--memory-footprint";
  verb.says =
      "No text: what each run carries from segment to segment, what a segment takes beside that, "
      "and how far back it reaches";
  verb.takes = {"--checkpoint", "--segment", "--set", kModelGroup,
                kMachineGroup,  "--json",    "--csv", "--out"};
  verb.reason = "reads no text and scores nothing";
  verb.run = show_footprints;
  return verb;
}

}  // namespace lc

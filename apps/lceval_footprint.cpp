#include "lceval_footprint.h"

#include "common/load_run.h"
#include "models/registry.h"

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

}  // namespace

std::vector<FootprintResult> footprints(const std::vector<NamedRun>& runs, const OptionTable& table,
                                        const EvalFlags& flags) {
  std::vector<FootprintResult> results;
  for (const NamedRun& run : runs) results.push_back(footprint_of(run, table, flags));
  return results;
}

}  // namespace lc

// The windowed Transformer without memory (Vaswani et al. 2017; Al-Rfou et al. 2019): every segment
// stands alone.
#include <string>

#include "models/transformer_parts.h"
#include "nn/attention.h"
#include "nn/positions/position_scheme.h"

namespace lc {
namespace {

constexpr const char* kWindow = "model.vanilla.attention_window";
constexpr const char* kPositions = "model.vanilla.positions";

PositionOrigin origin_of(const Config& config) {
  return config.get<std::string>(kPositions) == "stream" ? PositionOrigin::kStream
                                                         : PositionOrigin::kSegment;
}

// Positions of the stream go on and on, and are checked where they come up.
void check_vanilla_segment(const Config& config, const SegmentLength& length) {
  if (origin_of(config) == PositionOrigin::kStream) return;
  check_position_rows(config, length.tokens, length.where);
}

std::unique_ptr<LanguageModel> build(const Config& config, const ModelSetup& setup) {
  AttentionSettings attention;
  if (!config.is_null(kWindow)) attention.farthest = config.get<int64_t>(kWindow) - 1;
  return build_transformer(
      config, setup, origin_of(config),
      [&](ParameterSet& parameters, const TransformerSettings& settings,
          const PositionScheme& positions, int64_t layer) -> std::unique_ptr<Mixer> {
        return std::make_unique<Attention>(parameters, settings, attention, positions, layer);
      });
}

}  // namespace

ModelEntry vanilla_model() {
  return {"vanilla",
          {Option::integer(kWindow, nullptr)
               .at_least(1)
               .at_most(kLongestLength)
               .or_null()
               .in("tokens")
               .says("Visible keys inside the segment, itself included; null: all."),
           Option::choice(kPositions, "segment", {"segment", "stream"})
               .says("Absolute positions begin at 0 in every segment, or run on through the "
                     "stream.")},
          build,
          {{"span", kWindow}, {"clamp", "model.positions.clamp_length"}},
          check_vanilla_segment};
}

}  // namespace lc

// A trunk that is a stack of layers, each a mixer and a feed-forward part around a residual stream.
#pragma once

#include <memory>
#include <vector>

#include "nn/feed_forward.h"
#include "nn/layer_norm.h"
#include "nn/mixer.h"
#include "nn/positions/position_scheme.h"
#include "nn/transformer_settings.h"
#include "nn/trunk.h"

namespace lc {

// Where absolute positions begin: at 0 in every segment, or in every lane's stream.
enum class PositionOrigin { kSegment, kStream };

struct DecoderParts {
  std::unique_ptr<PositionScheme> positions;
  std::vector<std::unique_ptr<Mixer>> mixers;  // one per layer
  PositionOrigin origin = PositionOrigin::kSegment;
};

class Decoder : public Trunk {
 public:
  // The feed-forward parts and the final norm are made here.
  Decoder(ParameterSet& parameters, const TransformerSettings& settings, DecoderParts parts);

  TrunkResult forward(const at::Tensor& embedded_BTD, MemoryState memory,
                      const StepContext& context) const override;
  MemoryState initial_memory(int64_t lanes, MemoryUse use, int64_t version) const override;
  std::optional<int64_t> reach(int64_t segment_length) const override;
  Footprint footprint(int64_t segment_length, MemoryUse use) const override;
  std::vector<AuxiliaryShare> auxiliary_shares(
      const MemoryState& memory, const std::vector<const Segment*>& segments) const override;

 private:
  at::Tensor absolute_positions(const MemoryState& memory, const StepContext& context) const;

  double dropout_;
  bool pre_norm_;
  DecoderParts parts_;
  std::vector<FeedForward> feed_forwards_;
  std::unique_ptr<LayerNorm> final_norm_;
};

}  // namespace lc

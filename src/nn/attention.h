// Multi-head attention over [memory ; open part of the segment ; input], causal, with memory of the
// layer's inputs (Dai et al. 2019). Without memory it is the attention of a windowed Transformer.
//
// Shapes: B lanes, T queries, K keys, H heads, d = d_head, D = d_model, M memory length.
// Memory queues. Training: "memory" [B, slots, D], un-normalised layer inputs. Inference:
// "memory.keys" and "memory.values" [B, slots, H*d], projected and un-rotated. The open part of a
// segment has the same under "open...".
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "nn/head_projections.h"
#include "nn/memory_rows.h"
#include "nn/mixer.h"
#include "nn/positions/position_scheme.h"
#include "nn/transformer_settings.h"

namespace lc {

struct AttentionSettings {
  int64_t memory_length = 0;        // M
  std::optional<int64_t> farthest;  // largest visible distance; none: all memory and the segment
  InitialMemory initial_memory = InitialMemory::kEmpty;
};

class Attention : public Mixer {
 public:
  Attention(ParameterSet& parameters, const TransformerSettings& sizes,
            const AttentionSettings& settings, const PositionScheme& positions, int64_t layer);

  MixerResult forward(const at::Tensor& x_BTD, const LayerMemory& memory, const LayerMemory& open,
                      const StepContext& context) const override;
  at::Tensor normalise(const at::Tensor& x_BTD) const override { return heads_.normalise(x_BTD); }
  LayerMemory initial_memory(int64_t lanes, MemoryUse use) const override;
  std::optional<MixerReach> reach(int64_t segment_length) const override;
  LayerFootprint footprint(int64_t segment_length, MemoryUse use) const override;

 private:
  HeadProjections heads_;
  AttentionSettings settings_;
  const LayerPositions& positions_;
};

}  // namespace lc

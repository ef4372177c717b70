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
#include <memory>
#include <optional>
#include <string>

#include "nn/layer_norm.h"
#include "nn/mixer.h"
#include "nn/positions/position_scheme.h"
#include "nn/transformer_settings.h"

namespace lc {

// What a lane attends to before it has seen anything: nothing, or M zero vectors.
enum class InitialMemory { kEmpty, kZeros };

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
  at::Tensor normalise(const at::Tensor& x_BTD) const override { return norm_(x_BTD); }
  LayerMemory initial_memory(int64_t lanes, MemoryUse use) const override;
  std::optional<MixerReach> reach() const override;

 private:
  at::Tensor heads(const at::Tensor& x_BnE) const;  // [B, n, H*d] -> [B, H, n, d]
  at::Tensor attend(const at::Tensor& q_BHTd, const at::Tensor& keys_BHKd,
                    const at::Tensor& values_BHKd, const at::Tensor& mask,
                    const StepContext& context) const;

  int64_t heads_;
  int64_t d_head_;
  double dropout_;
  double attention_dropout_;
  bool pre_norm_;
  AttentionSettings settings_;
  int64_t layer_;
  const LayerPositions& positions_;
  at::Tensor query_;   // [H*d, D]
  at::Tensor key_;     // [H*d, D]
  at::Tensor value_;   // [H*d, D]
  at::Tensor output_;  // [D, H*d]
  LayerNorm norm_;
};

}  // namespace lc

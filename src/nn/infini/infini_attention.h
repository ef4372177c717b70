// Infini-attention (Munkhdalai et al. 2024): causal softmax attention inside the segment, and an
// associative memory of all segments before it, mixed per head by a learned gate.
//
// Queries read the memory as the segments before left it; the segment's keys and values are written
// when it is folded. Positions enter the local path alone, so memory keeps no place in the text.
//
// Measured for a probe, before each segment: "gate", the memory's weight in each head (a share);
// of lanes that hold something, "memory_over_local", the norms of what memory and the segment give
// at all inputs but padding, divided, and "memory_normalizer", the entries of z.
//
// Shapes: B lanes, T queries, K keys of the running segment, H heads, d = d_head, E = H*d.
// Memory queues, none of them counted: "memory.matrix" [B, H, d, d] and "memory.normalizer"
// [B, H, d] in at least float32, "memory.tokens" [B] int64, the tokens stored. A lane with padding
// ends with empty memory: it starts anew next. Open part of a segment: "open.keys" and
// "open.values" [B, K, E], without positions.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "nn/head_projections.h"
#include "nn/infini/associative_memory.h"
#include "nn/mixer.h"

namespace lc {

// What a lane that has stored nothing mixes: the local path alone, or a reading of 0 through the
// gate.
enum class FirstSegment { kBypass, kZero };

struct InfiniSettings {
  WriteRule write;
  FirstSegment first_segment = FirstSegment::kBypass;
  double gate_init = 0;  // beta; the memory's weight is sigmoid(beta)
};

constexpr const char* kGateGroup = "gate";

class InfiniAttention : public Mixer {
 public:
  InfiniAttention(ParameterSet& parameters, const TransformerSettings& sizes,
                  const InfiniSettings& settings, const PositionScheme& positions, int64_t layer);

  MixerResult forward(const at::Tensor& x_BTD, const LayerMemory& memory, const LayerMemory& open,
                      const StepContext& context) const override;
  at::Tensor normalise(const at::Tensor& x_BTD) const override { return heads_.normalise(x_BTD); }
  LayerMemory initial_memory(int64_t lanes, MemoryUse use) const override;
  std::optional<MixerReach> reach(int64_t /*segment_length*/) const override { return {}; }
  LayerFootprint footprint(int64_t segment_length, MemoryUse use) const override;

 private:
  void measure(const LayerMemory& memory, const at::Tensor& local_BHTd,
               const at::Tensor& recalled_BHTd, const StepContext& context) const;
  at::Tensor gate(const LayerMemory& memory) const;  // [B or 1, H, 1, 1]
  LayerMemory written(const LayerMemory& memory, const at::Tensor& k_BHKd, const at::Tensor& v_BHKd,
                      const StepContext& context) const;

  InfiniSettings settings_;
  HeadProjections heads_;
  const LayerPositions& positions_;
  at::Tensor beta_;  // [H]
};

}  // namespace lc

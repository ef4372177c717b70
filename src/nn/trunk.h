// The body of a language model: scaled embeddings and memory in, hidden states and memory out.
// Shapes: B lanes, T positions, D = d_model.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/auxiliary_loss.h"
#include "core/memory_state.h"
#include "nn/footprint.h"
#include "nn/step_context.h"

namespace lc {

struct TrunkResult {
  at::Tensor hidden_BTD;
  MemoryState memory;
  std::vector<AuxiliaryLoss> auxiliary = {};  // in training
};

class Trunk {
 public:
  virtual ~Trunk() = default;
  virtual TrunkResult forward(const at::Tensor& embedded_BTD, MemoryState memory,
                              const StepContext& context) const = 0;
  // version: of the weights, kept in an inference memory.
  virtual MemoryState initial_memory(int64_t lanes, MemoryUse use, int64_t version) const = 0;
  // Inputs before a segment that can change its hidden states, where the text is cut into segments
  // of this length; none: unbounded.
  virtual std::optional<int64_t> reach(int64_t segment_length) const = 0;
  // What one lane holds where the text is cut into segments of this length.
  virtual Footprint footprint(int64_t segment_length, MemoryUse use) const = 0;
  // The auxiliary losses that training on these segments, one after the other from this memory,
  // will give.
  virtual std::vector<AuxiliaryShare> auxiliary_shares(
      const MemoryState& memory, const std::vector<const Segment*>& segments) const = 0;
};

}  // namespace lc

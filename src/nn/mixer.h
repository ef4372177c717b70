// The part of a layer that mixes over time: attention and its relatives.
//
// Shapes: B lanes, T positions of this call, D = d_model.
// A mixer owns one norm. forward() gives the branch alone: with pre-norm the norm has been applied
// to the input and to every un-normalised memory row at use; for post-norm the decoder adds the
// branch to the input and calls normalise() on the sum.
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

struct MixerResult {
  at::Tensor branch_BTD;
  LayerMemory memory;  // after the segment if it was folded, as before if it stays open
  LayerMemory open;    // of the running segment; empty if it was folded
  std::vector<AuxiliaryLoss> auxiliary = {};  // in training
};

// How far back one layer looks: so many inputs, counted from the query itself (a window), or from
// the beginning of the query's segment (memory that is renewed at segment ends).
enum class ReachFrom { kQuery, kSegment };
struct MixerReach {
  int64_t inputs = 0;
  ReachFrom from = ReachFrom::kQuery;
};

class Mixer {
 public:
  virtual ~Mixer() = default;
  virtual MixerResult forward(const at::Tensor& x_BTD, const LayerMemory& memory,
                              const LayerMemory& open, const StepContext& context) const = 0;
  virtual at::Tensor normalise(const at::Tensor& x_BTD) const = 0;
  // Memory of a lane that has seen nothing.
  virtual LayerMemory initial_memory(int64_t lanes, MemoryUse use) const = 0;
  // One layer deep, where the text is cut into segments of this length; none: unbounded.
  virtual std::optional<MixerReach> reach(int64_t segment_length) const = 0;
  // What one lane holds where the text is cut into segments of this length.
  virtual LayerFootprint footprint(int64_t segment_length, MemoryUse use) const = 0;
  // The auxiliary losses that training on these segments, one after the other from this memory,
  // will give.
  virtual std::vector<AuxiliaryShare> auxiliary_shares(
      const LayerMemory& /*memory*/, const std::vector<const Segment*>& /*segments*/) const {
    return {};
  }
};

}  // namespace lc

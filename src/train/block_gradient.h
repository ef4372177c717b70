// Two ways back through the segments of a block, from the last to the first, memory included.
//
// graph: every segment's graph is kept until the one backward pass; activation memory grows with
// the number of segments. replay: segments run without a graph while the memory before each is
// kept, then each is computed again from there, last to first, and what flows back into its memory
// is passed on to the segment before it; one graph exists at a time, for one more forward pass.
// Both give the same gradients, dropout included: its masks are keyed, not drawn.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "core/memory_state.h"
#include "core/segment.h"
#include "models/language_model.h"

namespace lc {

enum class BlockMode { kGraph, kReplay };

// A segment's share of the loss, with its graph; undefined: none. Called once for every segment of
// the block, in any order.
using SegmentLoss = std::function<at::Tensor(const Segment& segment, const StepResult& result)>;

// Adds the gradients of the sum of the block's losses to those of the parameters; nothing flows
// into the memory given. Returns memory after the block, detached.
MemoryState add_block_gradients(const LanguageModel& model, const std::vector<Segment>& block,
                                MemoryState memory, const StepOptions& options,
                                const SegmentLoss& loss, BlockMode mode);

}  // namespace lc

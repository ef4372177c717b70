// Loss and gradients of one update.
//
// The lanes are cut into chunks that run one after the other, so that the graph of one block of one
// chunk is held at a time, or of one segment of it with replay. Every division is by the whole
// update's weight: 8 lanes at once and 4 lanes twice give the same loss and gradients, dropout
// included (masks are keyed by global lane).
#pragma once

#include <cstdint>
#include <vector>

#include "core/memory_state.h"
#include "models/language_model.h"
#include "train/auxiliary_terms.h"
#include "train/block_gradient.h"
#include "train/update.h"

namespace lc {

struct GradientOptions {
  uint64_t seed = 0;   // of dropout
  int64_t chunks = 1;  // at most as many as lanes; their sizes differ by at most one
  BlockMode mode = BlockMode::kGraph;
};

struct GradientResult {
  double nats = 0;     // sum of weight * nll over the update, in double; may be not finite
  MemoryState memory;  // after the update, detached, each tensor in its own plain storage
  std::vector<AuxiliarySum> auxiliary = {};  // may hold sums that aren't finite
};

// Adds the gradients of the training loss to those of the parameters: nats / update.weight, and for
// each auxiliary loss its weight * sum / count; of either nothing where it is 0 / 0. Memory is used
// up: clone it before, if the update may be skipped.
GradientResult add_gradients(const LanguageModel& model, const Update& update, MemoryState memory,
                             const GradientOptions& options);

// Lanes [first, first + count) of chunk `index` of `chunks`.
LaneRange chunk_lanes(int64_t lanes, int64_t chunks, int64_t index);

}  // namespace lc

// Rows that an attention layer keeps: in memory between segments, and in the open part of the
// running one.
//
// Shapes: B lanes, T positions of this call, E = width of a row.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/memory_state.h"
#include "core/probe.h"
#include "core/segment.h"
#include "nn/mixer.h"

namespace lc {

// What a lane attends to before it has seen anything: nothing, or zero vectors in all slots.
enum class InitialMemory { kEmpty, kZeros };

// The queues that hold one kind of rows, in both parts of a layer's memory.
struct RowQueue {
  const char* memory;
  const char* open;
};
constexpr RowQueue kInputRows{"memory", "open"};

// Rows of memory and open part that stand before those of this call; either may be absent.
std::vector<at::Tensor> older_rows(const RowQueue& names, const LayerMemory& memory,
                                   const LayerMemory& open);

// As a probe is told of them: the rows in memory, of so many that it can hold, and all others, the
// segment's own.
std::vector<KeyStretch> row_stretches(const RowQueue& names, const LayerMemory& memory,
                                      int64_t capacity, int64_t keys);

// All rows of the segment so far: of the open part, then those of this call.
at::Tensor segment_rows(const RowQueue& names, const at::Tensor& rows_BTE, const LayerMemory& open);

// What becomes of one kind of rows, those of the segment so far: appended to memory where the call
// folds the segment, kept in the open part where it doesn't.
void keep_rows(const RowQueue& names, const at::Tensor& segment_BSE, int64_t capacity,
               const Segment& segment, MixerResult& result);

}  // namespace lc

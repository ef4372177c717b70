// Which lanes give up how many rows when a segment is folded into a memory of limited length.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/segment.h"

namespace lc {

// A segment as it is folded: its whole length, open part included, and the lanes that hold padding.
struct FoldedSegment {
  int64_t length = 0;
  const std::vector<char>& padded_B;
};

// Rows of lane b beyond the newest `capacity` of its memory and the segment; 0 where it is padded,
// for such a lane begins anew.
std::vector<int64_t> evicted_B(const std::vector<int64_t>& fill_B, const FoldedSegment& segment,
                               int64_t capacity);

// Lanes that give up the same number of rows, at least one.
struct LaneGroup {
  std::vector<int64_t> lanes;
  int64_t rows = 0;
};
std::vector<LaneGroup> by_rows(const std::vector<int64_t>& evicted_B);

// The tensor's rows of those lanes; itself if that is all of them in order.
at::Tensor of_lanes(const at::Tensor& x_B, const std::vector<int64_t>& lanes);

}  // namespace lc

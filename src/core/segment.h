// One time slice over B lanes: the only thing in which data and models meet.
//
// Shapes: B lanes, T positions. Row b of every tensor belongs to global lane lanes_B[b].
// Padding is only right padding, and a lane's segment after padding always starts anew, so that
// memory never holds a hole and causal layers need no padding mask.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lc {

enum class SegmentEnd {
  kFold,      // the segment is over: memories take it in
  kKeepOpen,  // more of this segment follows in the next call (generation)
};

struct Segment {
  at::Tensor inputs_BT;   // int64 token ids; 0 at padding
  at::Tensor targets_BT;  // int64 token ids, the next tokens; 0 at padding
  at::Tensor valid_BT;    // bool; false = padding
  at::Tensor weights_BT;  // float32; what the loss counts: 0 = context only or padding

  // All of length B, on the CPU whatever the device of the tensors.
  std::vector<char> starts_B;              // 1: this lane's memory begins anew before this segment
  std::vector<char> padded_B;              // 1: this lane holds padding, or ends short (evaluation)
  std::vector<int64_t> lanes_B;            // global lane: the key of dropout masks
  std::vector<int64_t> first_positions_B;  // position of column 0 since the lane's last start

  int64_t epoch = 0;  // with index, the key of random draws
  int64_t index = 0;  // segment within the epoch
  SegmentEnd end = SegmentEnd::kFold;

  int64_t lanes() const { return inputs_BT.size(0); }
  int64_t length() const { return inputs_BT.size(1); }
  Segment to(at::Device device) const;               // tensors moved, the rest copied
  Segment rows(int64_t first, int64_t count) const;  // an accumulation chunk: a range of lanes
};

}  // namespace lc

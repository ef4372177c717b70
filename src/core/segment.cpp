#include "core/segment.h"

#include <ATen/ATen.h>

namespace lc {

Segment Segment::to(at::Device device) const {
  Segment moved = *this;
  for (at::Tensor* tensor :
       {&moved.inputs_BT, &moved.targets_BT, &moved.valid_BT, &moved.weights_BT}) {
    *tensor = tensor->to(device);
  }
  return moved;
}

Segment Segment::rows(int64_t first, int64_t count) const {
  Segment part = *this;
  for (at::Tensor* tensor : {&part.inputs_BT, &part.targets_BT, &part.valid_BT, &part.weights_BT}) {
    *tensor = tensor->narrow(0, first, count);
  }
  const auto cut = [&](auto& values) {
    values = {values.begin() + first, values.begin() + first + count};
  };
  cut(part.starts_B);
  cut(part.padded_B);
  cut(part.lanes_B);
  cut(part.first_positions_B);
  return part;
}

}  // namespace lc

#include "train/update.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/error.h"

namespace lc {

int64_t Update::segments() const {
  int64_t total = 0;
  for (const auto& block : blocks) total += static_cast<int64_t>(block.size());
  return total;
}

int64_t update_length(int64_t segments, int64_t first, UpdateSize size) {
  return std::min(segments - first, size.blocks * size.block_segments);
}

Update fetch_update(const SegmentStream& stream, int64_t first, UpdateSize size) {
  LC_CHECK(size.blocks > 0 && size.block_segments > 0);
  const int64_t count = update_length(stream.segments(), first, size);
  LC_CHECK(count > 0);
  Update update;
  for (int64_t i = 0; i < count; ++i) {
    if (i % size.block_segments == 0) update.blocks.emplace_back();
    Segment segment = stream.at(first + i);
    update.weight += segment.weights_BT.sum(at::kDouble).item<double>();
    update.tokens += segment.valid_BT.sum().item<int64_t>();
    update.blocks.back().push_back(std::move(segment));
  }
  return update;
}

}  // namespace lc

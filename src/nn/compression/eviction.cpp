#include "nn/compression/eviction.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <utility>

namespace lc {

std::vector<int64_t> evicted_B(const std::vector<int64_t>& fill_B, const FoldedSegment& segment,
                               int64_t capacity) {
  std::vector<int64_t> result;
  for (size_t b = 0; b < fill_B.size(); ++b) {
    const int64_t beyond = fill_B[b] + segment.length - capacity;
    result.push_back(segment.padded_B[b] ? 0 : std::max<int64_t>(beyond, 0));
  }
  return result;
}

std::vector<LaneGroup> by_rows(const std::vector<int64_t>& evicted_B) {
  std::map<int64_t, LaneGroup> groups;
  for (size_t b = 0; b < evicted_B.size(); ++b) {
    if (evicted_B[b] == 0) continue;
    LaneGroup& group = groups[evicted_B[b]];
    group.lanes.push_back(static_cast<int64_t>(b));
    group.rows = evicted_B[b];
  }
  std::vector<LaneGroup> result;
  for (auto& [rows, group] : groups) result.push_back(std::move(group));
  return result;
}

at::Tensor of_lanes(const at::Tensor& x_B, const std::vector<int64_t>& lanes) {
  if (static_cast<int64_t>(lanes.size()) == x_B.size(0)) return x_B;
  return x_B.index_select(0, at::tensor(lanes, at::kLong).to(x_B.device()));
}

}  // namespace lc

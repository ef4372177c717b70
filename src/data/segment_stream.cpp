#include "data/segment_stream.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.h"

namespace lc {

SegmentStream::SegmentStream(TokenFile tokens, LanePlan plan, int64_t epoch, LossRule loss,
                             std::optional<LaneRange> lanes)
    : tokens_(std::move(tokens)),
      plan_(std::move(plan)),
      epoch_(epoch),
      loss_(loss),
      lanes_(lanes.value_or(LaneRange{0, plan_.lanes()})) {
  LC_CHECK(lanes_.first >= 0 && lanes_.count >= 0);
  LC_CHECK(lanes_.first + lanes_.count <= plan_.lanes());
}

int64_t SegmentStream::length(int64_t index) const {
  int64_t longest = 0;
  for (int64_t lane = 0; lane < plan_.lanes(); ++lane) {
    longest = std::max(longest, plan_.slice(lane, index).count);
    if (longest == plan_.segment_length()) break;
  }
  return longest;
}

Segment SegmentStream::at(int64_t index) const {
  LC_CHECK(index >= 0 && index < plan_.segments());
  const std::vector<int64_t> shape{lanes_.count, length(index)};
  Segment segment;
  segment.inputs_BT = at::zeros(shape, at::kLong);
  segment.targets_BT = at::zeros(shape, at::kLong);
  segment.valid_BT = at::zeros(shape, at::kBool);
  segment.weights_BT = at::zeros(shape, at::kFloat);
  segment.epoch = epoch_;
  segment.index = index;
  for (int64_t row = 0; row < lanes_.count; ++row) {
    fill_row(segment, row, plan_.slice(lanes_.first + row, index));
  }
  return segment;
}

void SegmentStream::fill_row(Segment& segment, int64_t row, const LanePlan::Slice& slice) const {
  const int64_t length = segment.length();
  segment.lanes_B.push_back(lanes_.first + row);
  segment.padded_B.push_back(slice.count < length);
  segment.starts_B.push_back(slice.offset == 0);
  segment.first_positions_B.push_back(slice.run == nullptr ? 0
                                                           : slice.run->position + slice.offset);
  if (slice.run == nullptr) return;
  std::vector<int64_t> ids(static_cast<size_t>(slice.count) + 1);
  tokens_.copy(slice.run->first + slice.offset, slice.count + 1, ids.data());
  const int64_t begin = row * length;
  std::copy_n(ids.begin(), slice.count, segment.inputs_BT.mutable_data_ptr<int64_t>() + begin);
  std::copy_n(ids.begin() + 1, slice.count, segment.targets_BT.mutable_data_ptr<int64_t>() + begin);
  std::fill_n(segment.valid_BT.mutable_data_ptr<bool>() + begin, slice.count, true);
  int64_t counted = std::clamp<int64_t>(slice.run->lead_in - slice.offset, 0, slice.count);
  if (loss_.part == LossPart::kSecondHalf) counted = std::max(counted, slice.count / 2);
  weigh_targets(loss_.targets, tokens_.documents(), slice.run->first + slice.offset + counted + 1,
                {segment.weights_BT.mutable_data_ptr<float>() + begin + counted,
                 static_cast<size_t>(slice.count - counted)});
}

}  // namespace lc

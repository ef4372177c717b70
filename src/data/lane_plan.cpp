#include "data/lane_plan.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace lc {

LanePlan::LanePlan(std::vector<std::vector<Run>> lanes, int64_t segment_length)
    : lanes_(std::move(lanes)), segment_length_(segment_length) {
  LC_CHECK(segment_length > 0);
  for (const auto& runs : lanes_) {
    std::vector<int64_t> firsts;
    int64_t segment = 0;
    for (const Run& run : runs) {
      LC_CHECK(run.count > 0 && run.lead_in >= 0 && run.lead_in <= run.count);
      firsts.push_back(segment);
      segment += (run.count + segment_length - 1) / segment_length;
    }
    firsts.push_back(segment);
    segments_ = std::max(segments_, segment);
    first_segments_.push_back(std::move(firsts));
  }
}

int64_t LanePlan::longest_segment() const {
  int64_t longest = 0;
  for (const auto& runs : lanes_) {
    for (const Run& run : runs) longest = std::max(longest, run.count);
  }
  return std::min(longest, segment_length_);
}

int64_t LanePlan::predictions() const {
  int64_t total = 0;
  for (const auto& runs : lanes_) {
    for (const Run& run : runs) total += run.count - run.lead_in;
  }
  return total;
}

int64_t LanePlan::inputs() const {
  int64_t total = 0;
  for (const auto& runs : lanes_) {
    for (const Run& run : runs) total += run.count;
  }
  return total;
}

const std::vector<Run>& LanePlan::runs(int64_t lane) const {
  return lanes_.at(static_cast<size_t>(lane));
}

LanePlan::Slice LanePlan::slice(int64_t lane, int64_t segment) const {
  LC_CHECK(segment >= 0);
  const auto& firsts = first_segments_.at(static_cast<size_t>(lane));
  if (segment >= firsts.back()) return {};
  const auto next = std::upper_bound(firsts.begin(), firsts.end(), segment);
  const auto index = static_cast<size_t>(next - firsts.begin() - 1);
  const Run& run = lanes_[static_cast<size_t>(lane)][index];
  const int64_t offset = (segment - firsts[index]) * segment_length_;
  return {&run, offset, std::min(segment_length_, run.count - offset)};
}

}  // namespace lc

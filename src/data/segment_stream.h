// A token file read along a lane plan: segment by segment, in any order, nothing remembered.
#pragma once

#include <cstdint>
#include <optional>

#include "core/segment.h"
#include "data/lane_plan.h"
#include "data/token_file.h"

namespace lc {

enum class LossPart { kAll, kSecondHalf };  // second half: of each segment's own inputs

struct LaneRange {
  int64_t first = 0;
  int64_t count = 0;
};

class SegmentStream {
 public:
  // lanes: the part of the plan that this stream reads (all by default).
  SegmentStream(TokenFile tokens, LanePlan plan, int64_t epoch, LossPart loss_part,
                std::optional<LaneRange> lanes = {});

  int64_t segments() const { return plan_.segments(); }
  const LanePlan& plan() const { return plan_; }
  // Segment `index` of the epoch. Its length is that of the longest slice among the plan's lanes,
  // all of them, so that a range of lanes sees the same shape. A lane that has come to its end
  // gives a row of padding that starts anew. Of a slice of n inputs the second half begins at
  // input floor(n / 2), so that every segment counts.
  Segment at(int64_t index) const;

 private:
  int64_t length(int64_t index) const;
  void fill_row(Segment& segment, int64_t row, const LanePlan::Slice& slice) const;

  TokenFile tokens_;
  LanePlan plan_;
  int64_t epoch_;
  LossPart loss_part_;
  LaneRange lanes_;
};

}  // namespace lc

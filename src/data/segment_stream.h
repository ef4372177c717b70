// A token file read along a lane plan: segment by segment, in any order, nothing remembered.
#pragma once

#include <cstdint>
#include <optional>

#include "core/segment.h"
#include "data/lane_plan.h"
#include "data/target_weights.h"
#include "data/token_file.h"

namespace lc {

enum class LossPart { kAll, kSecondHalf };  // second half: of each segment's own inputs

// What the loss counts: a part of each segment, and of its targets each as its text's rule weighs
// it. Evaluation counts everything, with weight 1.
struct LossRule {
  LossRule(LossPart counted = LossPart::kAll, TargetWeights weights = {})
      : part(counted), targets(weights) {}

  LossPart part;
  TargetWeights targets;
};

struct LaneRange {
  int64_t first = 0;
  int64_t count = 0;
};

class SegmentStream {
 public:
  // lanes: the part of the plan that this stream reads (all by default).
  SegmentStream(TokenFile tokens, LanePlan plan, int64_t epoch, LossRule loss,
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
  LossRule loss_;
  LaneRange lanes_;
};

}  // namespace lc

// The train split, epoch by epoch: the stream of segments that the cursor points into.
#pragma once

#include <cstdint>
#include <optional>

#include "data/segment_stream.h"
#include "data/token_file.h"
#include "data/training_plan.h"
#include "train/limits.h"

namespace lc {

class EpochReader {
 public:
  EpochReader(TokenFile tokens, const TrainingPlanSettings& plan, LossRule loss);

  // A pure function of the epoch; the newest is kept. Error(kData) if the text holds nothing to
  // predict.
  const SegmentStream& at(int64_t epoch);
  EpochSize size(int64_t epoch);

 private:
  TokenFile tokens_;
  TrainingPlanSettings plan_;
  LossRule loss_;
  int64_t epoch_ = -1;
  std::optional<SegmentStream> stream_;
};

}  // namespace lc

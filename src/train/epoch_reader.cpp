#include "train/epoch_reader.h"

#include <utility>

namespace lc {

EpochReader::EpochReader(TokenFile tokens, const TrainingPlanSettings& plan, LossRule loss)
    : tokens_(std::move(tokens)), plan_(plan), loss_(loss) {}

const SegmentStream& EpochReader::at(int64_t epoch) {
  if (!stream_ || epoch != epoch_) {
    stream_.emplace(tokens_, training_plan(tokens_, plan_, epoch), epoch, loss_);
    epoch_ = epoch;
  }
  return *stream_;
}

EpochSize EpochReader::size(int64_t epoch) {
  const LanePlan& plan = at(epoch).plan();
  return {plan.segments(), plan.inputs()};
}

}  // namespace lc

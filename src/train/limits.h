// How far a run has come and how far it will go, from its limits and its state.
#pragma once

#include <cstdint>
#include <optional>

#include "train/train_settings.h"
#include "train/training_state.h"
#include "train/update.h"

namespace lc {

// Whether a limit is reached: train.steps, train.tokens or train.epochs.
bool finished(const TrainingLimits& limits, const TrainingState& state);

// The update that comes next: train.bptt_segments by step, optim.update_period by segment.
UpdateSize next_update_size(const TrainSettings& settings, const TrainingState& state);

// What one pass over the train split takes.
struct EpochSize {
  int64_t segments = 0;
  int64_t tokens = 0;
};

// Part of the run that is done, 0 to 1; none if only time ends it.
std::optional<double> fraction_done(const TrainingLimits& limits, const TrainingState& state,
                                    const EpochSize& epoch);

// Updates from the very start to the first limit; none if only time ends the run. Every epoch is
// taken to be as long as the given one, and tokens to be spread evenly over its segments.
std::optional<int64_t> planned_steps(const TrainSettings& settings, const EpochSize& epoch);

}  // namespace lc

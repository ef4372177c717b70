#include "train/limits.h"

#include <algorithm>

#include "core/error.h"

namespace lc {
namespace {

double ratio(int64_t part, int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

bool finished(const TrainingLimits& limits, const TrainingState& state) {
  return (limits.steps && state.step >= *limits.steps) ||
         (limits.tokens && state.tokens >= *limits.tokens) ||
         (limits.epochs && state.epoch >= *limits.epochs);
}

UpdateSize next_update_size(const TrainSettings& settings, const TrainingState& state) {
  return {.blocks = scheduled_value(settings.update_period, state.segments),
          .block_segments = scheduled_value(settings.bptt_segments, state.step)};
}

std::optional<double> fraction_done(const TrainingLimits& limits, const TrainingState& state,
                                    const EpochSize& epoch) {
  std::optional<double> most;
  const auto take = [&](double fraction) {
    most = std::min(1.0, std::max(most.value_or(0.0), fraction));
  };
  if (limits.steps) take(ratio(state.step, *limits.steps));
  if (limits.tokens) take(ratio(state.tokens, *limits.tokens));
  if (limits.epochs) {
    take((static_cast<double>(state.epoch) + ratio(state.segment, epoch.segments)) /
         static_cast<double>(*limits.epochs));
  }
  return most;
}

std::optional<int64_t> planned_steps(const TrainSettings& settings, const EpochSize& epoch) {
  const TrainingLimits& limits = settings.limits;
  if (!limits.steps && !limits.tokens && !limits.epochs) return {};
  LC_CHECK(epoch.segments > 0);
  TrainingState state;
  while (!finished(limits, state)) {
    const int64_t taken =
        update_length(epoch.segments, state.segment, next_update_size(settings, state));
    state.step += 1;
    state.segments += taken;
    state.segment += taken;
    if (state.segment == epoch.segments) {
      state.segment = 0;
      state.epoch += 1;
    }
    const double epochs = static_cast<double>(state.epoch) + ratio(state.segment, epoch.segments);
    state.tokens = static_cast<int64_t>(epochs * static_cast<double>(epoch.tokens));
  }
  return state.step;
}

}  // namespace lc

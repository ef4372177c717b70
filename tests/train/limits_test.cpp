#include "train/limits.h"

#include "catch.h"

namespace {

lc::TrainSettings settings(lc::TrainingLimits limits) {
  lc::TrainSettings result;
  result.limits = limits;
  return result;
}

}  // namespace

TEST_CASE("an update never crosses an epoch's end", "[train]") {
  CHECK(lc::update_length(10, 0, {2, 3}) == 6);
  CHECK(lc::update_length(10, 6, {2, 3}) == 4);
  CHECK(lc::update_length(10, 9, {1, 1}) == 1);
}

TEST_CASE("planned steps count the short update at each epoch's end", "[train]") {
  auto run = settings({.epochs = 3});
  run.bptt_segments = 2;
  run.update_period = 2;
  // 10 segments: 4 + 4 + 2, three updates an epoch.
  CHECK(lc::planned_steps(run, {10, 1000}) == 9);
  run.bptt_segments = 1;
  run.update_period = 1;
  CHECK(lc::planned_steps(run, {10, 1000}) == 30);
}

TEST_CASE("planned steps follow schedules by step and by segment", "[train]") {
  auto run = settings({.epochs = 1});
  // Updates of 1 segment up to segment 4, then of 4: 1 1 1 1 4 4 (12 in all).
  run.update_period = nlohmann::json::parse("[[0, 1], [4, 4]]");
  CHECK(lc::planned_steps(run, {12, 1200}) == 6);
  // Steps 0 to 2 take one segment, later ones 3: 1 1 1 3 3 3.
  run.update_period = 1;
  run.bptt_segments = nlohmann::json::parse("[[0, 1], [3, 3]]");
  CHECK(lc::planned_steps(run, {12, 1200}) == 6);
}

TEST_CASE("the first limit counts", "[train]") {
  CHECK(lc::planned_steps(settings({.steps = 7, .epochs = 1}), {10, 1000}) == 7);
  CHECK(lc::planned_steps(settings({.steps = 70, .epochs = 1}), {10, 1000}) == 10);
  // 100 tokens a segment: 250 are passed by the third update.
  CHECK(lc::planned_steps(settings({.tokens = 250}), {10, 1000}) == 3);
  CHECK_FALSE(lc::planned_steps(settings({}), {10, 1000}).has_value());

  lc::TrainingState state;
  state.step = 5;
  state.tokens = 499;
  state.epoch = 1;
  CHECK_FALSE(lc::finished({.steps = 6, .tokens = 500, .epochs = 2}, state));
  CHECK(lc::finished({.steps = 5}, state));
  state.tokens = 500;
  CHECK(lc::finished({.tokens = 500}, state));
  state.epoch = 2;
  CHECK(lc::finished({.epochs = 2}, state));
  CHECK_FALSE(lc::finished({}, state));
}

TEST_CASE("the fraction done is that of the nearest limit", "[train]") {
  lc::TrainingState state;
  state.step = 5;
  state.tokens = 100;
  state.epoch = 1;
  state.segment = 5;
  const lc::EpochSize epoch{10, 1000};
  CHECK(lc::fraction_done({.steps = 20, .tokens = 1000}, state, epoch).value() == Approx(0.25));
  CHECK(lc::fraction_done({.steps = 20, .epochs = 3}, state, epoch).value() == Approx(0.5));
  CHECK_FALSE(lc::fraction_done({}, state, epoch).has_value());
}

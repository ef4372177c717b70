// What an evaluation costs that carries memory, against a window slid by one token at the same
// context (Dai et al. 2019, table 9).
//
// Both score the same targets with the same weights, at each context c:
//   evaluation   the run's own way: memory of c where the model spans memory, its own memory else,
//                in the run's segments, one lane; a model without memory slides a window of c + 1
//                by half of it: the fewest whole windows that hold the targets
//   sliding      windows of c + 1 inputs, each from initial memory, slid by one: what a model must
//                do that carries nothing, if each target is to see c inputs before its own
// Times are of the model's steps alone: reading the text isn't in them, nor the lead-in that fills
// memory, which is paid once a text. Whole segments, and windows moved by half, may score more than
// the targets of both: seconds and inputs are divided by all that a way scores, and losses are of
// the targets of both.
// Theory is recomputation: inputs run for each target. Losses agree where nothing before the window
// can matter (one layer and a fixed span); with more layers memory reaches further than the window.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "eval/evaluation_model.h"
#include "eval/stream_evaluation.h"

namespace lc {

struct SpeedSettings {
  std::vector<int64_t> contexts;  // at least 1 each; any order, each once
  int64_t repetitions = 5;        // timed; one more goes before them
  // As it is in force. Its tokens are the targets (256 if none); lanes aren't asked for.
  EvaluationSettings evaluation;
};

// Of one way, for each target; seconds are medians over the repetitions. lanes: side by side.
struct Pace {
  double cpu_seconds = 0;  // of all threads
  double wall_seconds = 0;
  double inputs = 0;
  double nats = 0;
  int64_t targets = 0;  // that it scores, at least those of both
  int64_t lanes = 0;
};

struct SpeedPoint {
  int64_t context = 0;
  int64_t targets = 0;
  Pace evaluation;
  Pace sliding;

  // How many times slower sliding is.
  double cpu_ratio() const { return sliding.cpu_seconds / evaluation.cpu_seconds; }
  double wall_ratio() const { return sliding.wall_seconds / evaluation.wall_seconds; }
  double theory() const { return sliding.inputs / evaluation.inputs; }
};

struct SpeedTest {
  std::vector<SpeedPoint> points;  // ascending context
  nlohmann::json protocol;

  // {speed: [{context, targets, evaluation {cpu_seconds_per_token, wall_seconds_per_token,
  // inputs_per_token, nats_per_token, targets, lanes}, sliding {...}, cpu_ratio, wall_ratio,
  // theory_ratio}], protocol}
  nlohmann::json to_json() const;
};

// Error(kUsage) for context 0 and for windows that the model can't read; Error(kData) where no
// target has that many predecessors.
SpeedTest speed_test(const ModelSource& source, const TokenFile& tokens,
                     const SpeedSettings& settings);

}  // namespace lc

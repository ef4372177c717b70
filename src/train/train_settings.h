// The rows of sections train, checkpoint and log, and their values as the trainer uses them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "config/config.h"
#include "data/segment_stream.h"
#include "train/block_gradient.h"

namespace lc {

// Sections train, checkpoint and log.
std::vector<Option> train_options();

// What ends a run; each absent where not asked for, the first that is reached counts.
struct TrainingLimits {
  std::optional<int64_t> steps = {};   // updates
  std::optional<int64_t> tokens = {};  // inputs seen
  std::optional<int64_t> epochs = {};
};

struct TrainSettings {
  int64_t lanes = 1;
  int64_t accumulation = 1;          // chunks that the lanes are cut into
  nlohmann::json bptt_segments = 1;  // kSchedule by step: segments of a block
  BlockMode bptt_mode = BlockMode::kGraph;
  nlohmann::json update_period = 1;  // kSchedule by segment: blocks of an update
  LossRule loss;
  bool check_isolation = false;  // before training
  TrainingLimits limits;
  std::optional<double> max_minutes;  // of one call
  int64_t max_nonfinite = 10;         // skipped updates that end the run
  int64_t checkpoint_every = 1000;    // steps; 0: only at the end and when stopped
  int64_t keep_last = 2;
  bool keep_best = true;
  int64_t log_every = 50;         // steps
  int64_t evaluate_every = 1000;  // steps; 0: never
  uint64_t seed = 0;
};

// Error(kUsage) where values don't fit each other: more chunks than lanes, or nothing that ever
// ends the run.
TrainSettings train_settings(const Config& config);

}  // namespace lc

// Where a run stands, besides weights, optimizer and memory: what state.json of a checkpoint keeps
// so that a resumed run goes on as if it had never stopped.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/auxiliary_loss.h"

namespace lc {

// Sums over the updates since the last line of the log.
struct LogWindow {
  double nats = 0;
  double weight = 0;
  int64_t tokens = 0;
  double seconds = 0;  // spent in updates
  std::vector<AuxiliarySum> auxiliary = {};
};

struct BestSoFar {
  int64_t step = 0;
  double nats_per_token = 0;
};

struct TrainingState {
  int64_t step = 0;      // updates made
  int64_t segments = 0;  // gone through, over all epochs
  int64_t tokens = 0;    // inputs seen
  int64_t epoch = 0;     // the cursor: the next segment of that epoch comes next
  int64_t segment = 0;
  int64_t nonfinite = 0;       // updates that were skipped
  double seconds = 0;          // of all calls together
  int64_t evaluated_step = 0;  // the last step that the valid split was evaluated at
  std::optional<BestSoFar> best;
  LogWindow window;

  nlohmann::json to_json() const;
  // source: the file, for the Error(kData) that a missing or mistyped value is.
  static TrainingState from_json(const nlohmann::json& json, const std::string& source);
};

}  // namespace lc

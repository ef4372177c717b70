// Learning curves from a run's metrics.jsonl, by tokens that were trained on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/svg/bars.h"
#include "report/svg/plot.h"

namespace lc {

struct LearningPoint {
  double tokens = 0;
  double nats_per_token = 0;
  double bits_per_byte = 0;  // not a number: undefined, as on training lines
};

struct LearningCurves {
  std::string name;  // of the run
  std::vector<LearningPoint> training;
  std::map<std::string, std::vector<LearningPoint>> evaluations;  // by split
  // The last values of auxiliary losses, by name and layer.
  std::map<std::string, std::map<int64_t, double>> auxiliary;
  int64_t steps = 0;  // of the last training line, as are the others
  double tokens = 0;
  double seconds = 0;
};

// Lines that are no JSON objects (one that was cut off) are passed over. An evaluation stands at
// the tokens of its step, between two training lines in proportion.
LearningCurves read_learning_curves(const std::string& name, std::string_view metrics_jsonl);

// The mean of neighbours, so that at most so many points are left; each stands at the last tokens
// of its stretch.
std::vector<LearningPoint> thinned(const std::vector<LearningPoint>& points, size_t most);

// Nats per token of training, one curve a run.
Plot training_plot(const std::vector<LearningCurves>& runs);
// One curve a run and split: bits per byte if every evaluation has them, else nats per token.
Plot evaluation_plot(const std::vector<LearningCurves>& runs);
// Auxiliary losses by layer at the last training line; no panels where there are none.
BarChart auxiliary_chart(const std::vector<LearningCurves>& runs);

}  // namespace lc

// Weights that learn while they are used: one step on each segment, from its own gradient, and back
// towards the trained weights (Krause et al. 2018, section 4; Krause et al. 2019).
//
// With gradient g of a segment's mean loss, trained weights w0, rate lr and decay d, for each
// number of the weights:
//   sgd   w += d (w0 - w) - lr g
//   rms   w += d q (w0 - w) - lr g / (s + epsilon)
// s is the root of the mean of g * g over segments of the training text, taken once with the
// trained weights; q = s / (mean of s), at most 1 / d. The mean is over tensors, of the mean in
// each.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "models/language_model.h"

namespace lc {

enum class DynamicRule { kSgd, kRms };
std::string name_of(DynamicRule rule);  // "sgd", "rms"

struct DynamicStep {
  DynamicRule rule = DynamicRule::kSgd;
  double learning_rate = 0;
  double decay = 0;
  double epsilon = 2e-5;  // of rms
};

// The mean of squared gradients, segment by segment.
class GradientSquares {
 public:
  explicit GradientSquares(const LanguageModel& model);
  void add(const LanguageModel& model);       // gradients that backward left; they are cleared
  std::vector<at::Tensor> root_mean() const;  // one for each parameter, in their order

 private:
  std::vector<at::Tensor> sums_;
  int64_t count_ = 0;
};

class DynamicWeights {
 public:
  // Of this model, whose weights now are the trained ones; it outlives this. root_mean: as
  // GradientSquares gives it; empty for sgd.
  DynamicWeights(LanguageModel& model, DynamicStep step, std::vector<at::Tensor> root_mean);

  void learn();    // from gradients that backward left; they are cleared
  void restore();  // the trained weights, exactly

 private:
  LanguageModel& model_;
  DynamicStep step_;
  std::vector<at::Tensor> trained_;
  std::vector<at::Tensor> root_mean_;
  std::vector<at::Tensor> decay_;  // d q
};

}  // namespace lc

// How an optimizer turns gradients into new weights: one .cpp file and one line in update_rules.cpp
// for each optim.name.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"

namespace lc {

// Parameters that share rate and decay. All lists have one entry per parameter.
struct UpdateBatch {
  std::vector<at::Tensor> values;     // contiguous leaves, written in place
  std::vector<at::Tensor> gradients;  // contiguous, clipped
  // state[s][i]: state s of the rule for parameter i, shaped as the parameter, written in place.
  std::vector<std::vector<at::Tensor>> state;
  std::vector<int64_t> steps;  // updates of the parameter, this one included
  double learning_rate = 0;
  double weight_decay = 0;
};

class UpdateRule {
 public:
  virtual ~UpdateRule() = default;
  // Names of the tensors kept for each parameter, zeros at first.
  virtual std::vector<std::string> state_names() const = 0;
  virtual void update(UpdateBatch& batch) const = 0;  // called without gradient recording
};

// kFusedWherePossible: LibTorch's fused kernels on devices that have them. kPlain: tensor
// operations, which define the result and run on every device.
enum class UpdatePath { kFusedWherePossible, kPlain };

std::unique_ptr<UpdateRule> make_update_rule(const Config& config, UpdatePath path);  // optim.name

// The makers behind the names.
std::unique_ptr<UpdateRule> make_adam(const Config& config, UpdatePath path);   // L2
std::unique_ptr<UpdateRule> make_adamw(const Config& config, UpdatePath path);  // decoupled
std::unique_ptr<UpdateRule> make_sgd(const Config& config, UpdatePath path);

}  // namespace lc

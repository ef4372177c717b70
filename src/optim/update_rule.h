// How an optimizer turns gradients into new weights: for each optim.name one .cpp file that returns
// an UpdateRuleKind, and one line in update_rules.cpp.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"

namespace lc {

// A tensor that a rule keeps for a parameter, zeros at first.
struct StateTensor {
  std::string name;  // "exp_avg"
  std::vector<int64_t> shape;
};

// Parameters that share rate and decay. All lists have one entry per parameter.
struct UpdateBatch {
  std::vector<at::Tensor> values;     // contiguous leaves, written in place
  std::vector<at::Tensor> gradients;  // contiguous, clipped
  // state[i][s]: tensor s of the rule's state_of(shape of values[i]), written in place.
  std::vector<std::vector<at::Tensor>> state;
  std::vector<int64_t> steps;  // updates of the parameter, this one included
  double learning_rate = 0;
  double weight_decay = 0;
};

class UpdateRule {
 public:
  virtual ~UpdateRule() = default;
  // What is kept for a parameter of that shape; it must not change while a run lasts.
  virtual std::vector<StateTensor> state_of(at::IntArrayRef shape) const = 0;
  virtual void update(UpdateBatch& batch) const = 0;  // called without gradient recording
};

// kFusedWherePossible: LibTorch's fused kernels on devices that have them. kPlain: tensor
// operations, which define the result and run on every device.
enum class UpdatePath { kFusedWherePossible, kPlain };

struct UpdateRuleKind {
  std::string name;             // optim.name
  std::string says;             // half a sentence, for help texts
  std::vector<Option> options;  // the rows of its own, below optim
  std::unique_ptr<UpdateRule> (*make)(const Config& config, UpdatePath path);
};

const std::vector<UpdateRuleKind>& update_rule_kinds();
std::unique_ptr<UpdateRule> make_update_rule(const Config& config, UpdatePath path);  // optim.name

// The registry's entries.
UpdateRuleKind adam_rule();
UpdateRuleKind adamw_rule();
UpdateRuleKind sgd_rule();
UpdateRuleKind lamb_rule();
UpdateRuleKind adafactor_rule();

// What rules share in reading their options.
struct MomentDecays {
  double first;
  double second;
};
MomentDecays moment_decays(const Config& config);  // optim.betas; Error(kUsage) if not two numbers

}  // namespace lc

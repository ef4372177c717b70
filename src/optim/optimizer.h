// Clips gradients and updates weights by the rule of optim.name, with groups of their own settings.
//
// step(rate) reads the gradients that backward left in the parameters, applies the update and
// clears them. Of a group with its own lr the rate is in proportion: rate * group lr / optim.lr.
// Decay touches matrices only (two dimensions or more). Each group is clipped on its own, so that
// no group's gradient changes how another is scaled: src/decisions/006. A parameter without a
// gradient is left as it is.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "core/named_tensors.h"
#include "optim/update_rule.h"

namespace lc {

struct OptimizedParameter {
  std::string name;
  std::string group;  // "main", or another that optim.groups may hold settings for
  at::Tensor value;   // a contiguous leaf that requires gradients
};

class Optimizer {
 public:
  // Settings of groups that no parameter belongs to are idle.
  Optimizer(const Config& config, std::vector<OptimizedParameter> parameters,
            UpdatePath path = UpdatePath::kFusedWherePossible);

  struct StepReport {
    double grad_norm = 0;    // before clipping, over all parameters
    double clip_factor = 1;  // of group "main"
    bool applied = true;     // false: the norm is not finite; weights and state stayed
  };
  StepReport step(double learning_rate);  // gradients are cleared in any case

  // The 2-norm of the gradients that step would report.
  double grad_norm() const;

  // "<state>.<parameter>" and "step.<parameter>" (int64), e.g. "exp_avg.layers.0.weight".
  NamedTensors save() const;
  // Copies what save() gave; missing, unknown and misshapen names are listed in one Error(kData).
  void load(const NamedTensors& tensors);

 private:
  struct Group {
    double rate_ratio = 1;
    double weight_decay = 0;
    std::optional<double> clip_norm;  // empty: never clipped
  };
  struct Entry {
    OptimizedParameter parameter;
    std::vector<std::string> state_names;  // as save() gives them
    std::vector<at::Tensor> state;
    int64_t steps = 0;
  };

  const Group& group_of(const Entry& entry) const;
  std::vector<at::Tensor> gradients() const;  // one per entry, contiguous, undefined where none
  double clip(const std::vector<at::Tensor>& gradients) const;
  void update(const std::vector<at::Tensor>& gradients, double learning_rate);

  std::unique_ptr<UpdateRule> rule_;
  std::map<std::string, Group> groups_;
  std::vector<Entry> entries_;
};

}  // namespace lc

// Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019), n-th update of a parameter:
//   m := b1 m + (1 - b1) g;  v := b2 v + (1 - b2) g^2
//   w := w - rate (m / (1 - b1^n)) / (sqrt(v / (1 - b2^n)) + eps)
// adam adds weight_decay w to g first; adamw multiplies w by 1 - rate weight_decay first.
#include <ATen/ATen.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>

#include <cmath>
#include <map>

#include "optim/update_rule.h"

namespace lc {
namespace {

enum class Decay { kL2, kDecoupled };

bool has_fused_kernels(const at::Tensor& value) { return value.is_cpu() || value.is_cuda(); }

class Adam : public UpdateRule {
 public:
  Adam(const Config& config, Decay decay, UpdatePath path)
      : decay_(decay),
        path_(path),
        decays_(moment_decays(config)),
        eps_(config.get<double>("optim.eps")) {}

  std::vector<StateTensor> state_of(at::IntArrayRef shape) const override {
    return {{"exp_avg", shape.vec()}, {"exp_avg_sq", shape.vec()}};
  }

  void update(UpdateBatch& batch) const override {
    if (path_ == UpdatePath::kFusedWherePossible && has_fused_kernels(batch.values.front())) {
      fused(batch);
      return;
    }
    for (size_t i = 0; i < batch.values.size(); ++i) plain(batch, i);
  }

 private:
  void fused(UpdateBatch& batch) const {
    // The kernels read the counts only, so parameters share them; float32 is what they take.
    std::map<int64_t, at::Tensor> counts;
    std::vector<at::Tensor> steps;
    std::vector<at::Tensor> first;
    std::vector<at::Tensor> second;
    for (size_t i = 0; i < batch.values.size(); ++i) {
      at::Tensor& count = counts[batch.steps[i]];
      if (!count.defined()) {
        count = at::full({}, batch.steps[i],
                         batch.values[i].options().dtype(at::kFloat).requires_grad(false));
      }
      steps.push_back(count);
      first.push_back(batch.state[i][0]);
      second.push_back(batch.state[i][1]);
    }
    const auto kernel = [&](auto&& apply) {
      apply(batch.values, batch.gradients, first, second, at::TensorList{}, steps,
            batch.learning_rate, decays_.first, decays_.second, batch.weight_decay, eps_, false,
            false);
    };
    if (decay_ == Decay::kL2) {
      kernel([](auto&&... a) { at::_fused_adam_(a...); });
    } else {
      kernel([](auto&&... a) { at::_fused_adamw_(a...); });
    }
  }

  void plain(UpdateBatch& batch, size_t i) const {
    at::Tensor& value = batch.values[i];
    at::Tensor gradient = batch.gradients[i];
    if (batch.weight_decay != 0 && decay_ == Decay::kL2) {
      gradient = gradient + value * batch.weight_decay;
    } else if (batch.weight_decay != 0) {
      value.mul_(1 - batch.learning_rate * batch.weight_decay);
    }
    const auto n = static_cast<double>(batch.steps[i]);
    at::Tensor& first = batch.state[i][0];
    at::Tensor& second = batch.state[i][1];
    first.mul_(decays_.first).add_(gradient, 1 - decays_.first);
    second.mul_(decays_.second).addcmul_(gradient, gradient, 1 - decays_.second);
    const double first_mass = 1 - std::pow(decays_.first, n);
    const double second_mass = 1 - std::pow(decays_.second, n);
    const at::Tensor root = second.sqrt().div_(std::sqrt(second_mass)).add_(eps_);
    value.addcdiv_(first, root, -batch.learning_rate / first_mass);
  }

  Decay decay_;
  UpdatePath path_;
  MomentDecays decays_;
  double eps_;
};

}  // namespace

UpdateRuleKind adam_rule() {
  return {"adam", "weight_decay is added to the gradient", {},
          [](const Config& config, UpdatePath path) -> std::unique_ptr<UpdateRule> {
            return std::make_unique<Adam>(config, Decay::kL2, path);
          }};
}

UpdateRuleKind adamw_rule() {
  return {"adamw", "Adam with decoupled decay", {},
          [](const Config& config, UpdatePath path) -> std::unique_ptr<UpdateRule> {
            return std::make_unique<Adam>(config, Decay::kDecoupled, path);
          }};
}

}  // namespace lc

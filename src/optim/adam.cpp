// Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019), n-th update of a parameter:
//   m := b1 m + (1 - b1) g;  v := b2 v + (1 - b2) g^2
//   w := w - rate (m / (1 - b1^n)) / (sqrt(v / (1 - b2^n)) + eps)
// adam adds weight_decay w to g first; adamw multiplies w by 1 - rate weight_decay first.
#include <ATen/ATen.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>

#include <cmath>
#include <map>

#include "core/error.h"
#include "optim/update_rule.h"

namespace lc {
namespace {

enum class Decay { kL2, kDecoupled };

bool has_fused_kernels(const at::Tensor& value) { return value.is_cpu() || value.is_cuda(); }

class Adam : public UpdateRule {
 public:
  Adam(const Config& config, Decay decay, UpdatePath path) : decay_(decay), path_(path) {
    const auto betas = config.get<std::vector<double>>("optim.betas");
    if (betas.size() != 2) {
      throw Error(ErrorKind::kUsage, "optim.betas",
                  config.at("optim.betas").dump() + " doesn't hold two numbers",
                  "write [0.9, 0.999]");
    }
    beta1_ = betas[0];
    beta2_ = betas[1];
    eps_ = config.get<double>("optim.eps");
  }

  std::vector<std::string> state_names() const override { return {"exp_avg", "exp_avg_sq"}; }

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
    for (size_t i = 0; i < batch.values.size(); ++i) {
      at::Tensor& count = counts[batch.steps[i]];
      if (!count.defined()) {
        count = at::full({}, batch.steps[i],
                         batch.values[i].options().dtype(at::kFloat).requires_grad(false));
      }
      steps.push_back(count);
    }
    const auto kernel = [&](auto&& apply) {
      apply(batch.values, batch.gradients, batch.state[0], batch.state[1], at::TensorList{}, steps,
            batch.learning_rate, beta1_, beta2_, batch.weight_decay, eps_, false, false);
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
    at::Tensor& first = batch.state[0][i];
    at::Tensor& second = batch.state[1][i];
    first.mul_(beta1_).add_(gradient, 1 - beta1_);
    second.mul_(beta2_).addcmul_(gradient, gradient, 1 - beta2_);
    const at::Tensor root = second.sqrt().div_(std::sqrt(1 - std::pow(beta2_, n))).add_(eps_);
    value.addcdiv_(first, root, -batch.learning_rate / (1 - std::pow(beta1_, n)));
  }

  Decay decay_;
  UpdatePath path_;
  double beta1_ = 0;
  double beta2_ = 0;
  double eps_ = 0;
};

}  // namespace

std::unique_ptr<UpdateRule> make_adam(const Config& config, UpdatePath path) {
  return std::make_unique<Adam>(config, Decay::kL2, path);
}

std::unique_ptr<UpdateRule> make_adamw(const Config& config, UpdatePath path) {
  return std::make_unique<Adam>(config, Decay::kDecoupled, path);
}

}  // namespace lc

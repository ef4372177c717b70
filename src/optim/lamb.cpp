// LAMB: Adam's step, scaled for each tensor so that its length is a share of the tensor's own.
//
// paper (You et al. 2020, algorithm 2): with m, v the corrected moments of Adam
//   u = m / (sqrt(v) + eps) + decay w;  w := w - rate (|w| / |u|) u
// nvidia (NVIDIA's Transformer-XL, "jitlamb"): moments not corrected, |w| at most 10, |u| + eps.
// In both the share is 1 where |w| or |u| is 0. Norms are 2-norms over a whole tensor.
#include <ATen/ATen.h>

#include <cmath>

#include "optim/update_rule.h"

namespace lc {
namespace {

constexpr const char* kVariant = "optim.lamb.variant";
constexpr double kLongestWeights = 10;  // nvidia

enum class Variant { kPaper, kNvidia };

at::Tensor norm_of(const at::Tensor& tensor) {
  return at::linalg_vector_norm(tensor, 2, {}, false, at::kDouble);
}

class Lamb : public UpdateRule {
 public:
  explicit Lamb(const Config& config)
      : variant_(config.get<std::string>(kVariant) == "paper" ? Variant::kPaper : Variant::kNvidia),
        decays_(moment_decays(config)),
        eps_(config.get<double>("optim.eps")) {}

  std::vector<StateTensor> state_of(at::IntArrayRef shape) const override {
    return {{"exp_avg", shape.vec()}, {"exp_avg_sq", shape.vec()}};
  }

  void update(UpdateBatch& batch) const override {
    for (size_t i = 0; i < batch.values.size(); ++i) {
      at::Tensor& value = batch.values[i];
      at::Tensor step = adam_step(batch, i);
      if (batch.weight_decay != 0) step.add_(value, batch.weight_decay);
      value.sub_(step.mul_(share(value, step)), batch.learning_rate);
    }
  }

 private:
  at::Tensor adam_step(UpdateBatch& batch, size_t i) const {
    at::Tensor& first = batch.state[i][0];
    at::Tensor& second = batch.state[i][1];
    const at::Tensor& gradient = batch.gradients[i];
    first.mul_(decays_.first).add_(gradient, 1 - decays_.first);
    second.mul_(decays_.second).addcmul_(gradient, gradient, 1 - decays_.second);
    if (variant_ == Variant::kNvidia) return first / second.sqrt().add_(eps_);
    const auto n = static_cast<double>(batch.steps[i]);
    const double first_mass = 1 - std::pow(decays_.first, n);
    const double second_mass = 1 - std::pow(decays_.second, n);
    return (first / first_mass).div_(second.sqrt().div_(std::sqrt(second_mass)).add_(eps_));
  }

  // How long the step is to be, in its own length; stays on the device.
  at::Tensor share(const at::Tensor& value, const at::Tensor& step) const {
    at::Tensor weights = norm_of(value);
    const at::Tensor length = norm_of(step);
    if (variant_ == Variant::kNvidia) weights.clamp_max_(kLongestWeights);
    const at::Tensor ratio = weights / (variant_ == Variant::kNvidia ? length + eps_ : length);
    return at::where((weights > 0).logical_and(length > 0), ratio, at::ones_like(ratio));
  }

  Variant variant_;
  MomentDecays decays_;
  double eps_;
};

}  // namespace

UpdateRuleKind lamb_rule() {
  return {"lamb",
          "Adam's step at a length that goes by the weights'",
          {Option::choice(kVariant, "paper", {"paper", "nvidia"})
               .taken_on_resume()
               .says("nvidia: moments not corrected for their start, norms of weights up to 10.")},
          [](const Config& config, UpdatePath) -> std::unique_ptr<UpdateRule> {
            return std::make_unique<Lamb>(config);
          }};
}

}  // namespace lc

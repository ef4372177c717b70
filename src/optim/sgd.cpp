// Stochastic gradient descent with momentum: b := momentum b + g; w := w - rate b. Weight decay is
// added to the gradient.
#include <ATen/ATen.h>

#include "optim/update_rule.h"

namespace lc {
namespace {

class Sgd : public UpdateRule {
 public:
  explicit Sgd(double momentum) : momentum_(momentum) {}
  std::vector<StateTensor> state_of(at::IntArrayRef shape) const override {
    return {{"momentum", shape.vec()}};
  }

  void update(UpdateBatch& batch) const override {
    for (size_t i = 0; i < batch.values.size(); ++i) {
      at::Tensor& value = batch.values[i];
      at::Tensor& direction = batch.state[i][0];
      direction.mul_(momentum_).add_(batch.gradients[i]);
      if (batch.weight_decay != 0) direction.add_(value, batch.weight_decay);
      value.sub_(direction, batch.learning_rate);
    }
  }

 private:
  double momentum_;
};

}  // namespace

UpdateRuleKind sgd_rule() {
  return {"sgd",
          "gradient descent with momentum",
          {Option::number("optim.momentum", 0.0)
               .at_least(0)
               .less_than(1)
               .taken_on_resume()
               .says("Momentum of sgd.")},
          [](const Config& config, UpdatePath) -> std::unique_ptr<UpdateRule> {
            return std::make_unique<Sgd>(config.get<double>("optim.momentum"));
          }};
}

}  // namespace lc

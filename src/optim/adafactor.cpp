// Adafactor (Shazeer and Stern 2018, algorithms 4 and 5): second moments of a matrix kept as the
// means of its rows and of its columns, no first moment. n-th update with gradient g:
//   b = 1 - n^-decay_exponent;  q = g^2 + eps_gradient
//   r := b r + (1 - b) mean of q over columns;  c := b c + (1 - b) mean of q over rows
//   u = g / sqrt(r c / mean of r), divided by max(1, rms(u) / clip_threshold)
//   w := w - rate max(eps_parameter, rms(w)) u      (parameter_scale; else w - rate u)
// Tensors that aren't factored keep v := b v + (1 - b) q in place of r c / mean of r. Of more than
// two dimensions the two largest are rows and columns. Decay is decoupled: rate weight_decay w is
// taken off first, before the step and not scaled. The rate comes from the schedule, where the
// paper has min(0.01, 1 / sqrt(n)).
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "optim/update_rule.h"

namespace lc {
namespace {

struct FactorAxes {
  int64_t row;
  int64_t column;
};

// The two largest dimensions, the later of equals; nothing where the smaller is below the limit.
std::optional<FactorAxes> factor_axes(at::IntArrayRef shape, int64_t smallest) {
  if (shape.size() < 2) return {};
  std::vector<int64_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  const auto size = [&](int64_t axis) { return shape[static_cast<size_t>(axis)]; };
  std::stable_sort(axes.begin(), axes.end(),
                   [&](int64_t a, int64_t b) { return size(a) < size(b); });
  const FactorAxes found{axes[axes.size() - 2], axes.back()};
  if (size(found.row) < smallest) return {};
  return found;
}

// 0-dimensional, in double; stays on the device.
at::Tensor root_mean_square(const at::Tensor& tensor) {
  return at::linalg_vector_norm(tensor, 2, {}, false, at::kDouble)
      .div_(std::sqrt(static_cast<double>(tensor.numel())));
}

void move_towards(at::Tensor& mean, const at::Tensor& sample, double kept) {
  mean.mul_(kept).add_(sample, 1 - kept);
}

class Adafactor : public UpdateRule {
 public:
  explicit Adafactor(const Config& config)
      : decay_exponent_(config.get<double>("optim.adafactor.decay_exponent")),
        eps_gradient_(config.get<double>("optim.adafactor.eps_gradient")),
        eps_parameter_(config.get<double>("optim.adafactor.eps_parameter")),
        smallest_factored_(config.get<int64_t>("optim.adafactor.smallest_factored")),
        scales_(config.get<bool>("optim.adafactor.parameter_scale")) {
    if (config.is_null("optim.adafactor.clip_threshold")) return;
    clip_threshold_ = config.get<double>("optim.adafactor.clip_threshold");
  }

  std::vector<StateTensor> state_of(at::IntArrayRef shape) const override {
    const auto axes = factor_axes(shape, smallest_factored_);
    if (!axes) return {{"exp_avg_sq", shape.vec()}};
    std::vector<int64_t> rows = shape.vec();
    std::vector<int64_t> columns = shape.vec();
    rows[static_cast<size_t>(axes->column)] = 1;
    columns[static_cast<size_t>(axes->row)] = 1;
    return {{"exp_avg_sq_row", rows}, {"exp_avg_sq_column", columns}};
  }

  void update(UpdateBatch& batch) const override {
    for (size_t i = 0; i < batch.values.size(); ++i) {
      at::Tensor& value = batch.values[i];
      const double kept = 1 - std::pow(static_cast<double>(batch.steps[i]), -decay_exponent_);
      at::Tensor step = normalised(batch.gradients[i], kept, batch.state[i]);
      if (clip_threshold_) {
        step.div_((root_mean_square(step) / *clip_threshold_).clamp_min_(1.0));
      }
      if (scales_) step.mul_(root_mean_square(value).clamp_min_(eps_parameter_));
      if (batch.weight_decay != 0) value.mul_(1 - batch.learning_rate * batch.weight_decay);
      value.sub_(step, batch.learning_rate);
    }
  }

 private:
  // The gradient over the root of its second moments. Means of rows are divided by their own mean
  // before anything is multiplied, since a product of two tiny means would be 0 in float32.
  at::Tensor normalised(const at::Tensor& gradient, double kept,
                        std::vector<at::Tensor>& moments) const {
    const at::Tensor squares = gradient.square().add_(eps_gradient_);
    const auto axes = factor_axes(gradient.sizes(), smallest_factored_);
    if (!axes) {
      move_towards(moments[0], squares, kept);
      return gradient / moments[0].sqrt();
    }
    move_towards(moments[0], squares.mean({axes->column}, true), kept);
    move_towards(moments[1], squares.mean({axes->row}, true), kept);
    const at::Tensor row_shares = moments[0] / moments[0].mean({axes->row}, true);
    return (gradient / row_shares.sqrt()).div_(moments[1].sqrt());
  }

  double decay_exponent_;
  double eps_gradient_;
  double eps_parameter_;
  int64_t smallest_factored_;
  bool scales_;
  std::optional<double> clip_threshold_;
};

std::vector<Option> adafactor_rows() {
  const std::string section = "optim.adafactor.";
  return {
      Option::number(section + "decay_exponent", 0.8)
          .more_than(0)
          .taken_on_resume()
          .says("Second moments keep 1 - n^-decay_exponent of themselves in the n-th update."),
      Option::number(section + "clip_threshold", 1.0)
          .more_than(0)
          .or_null()
          .taken_on_resume()
          .says("Root mean square that a tensor's step is scaled down to; null: never."),
      Option::boolean(section + "parameter_scale", true)
          .taken_on_resume()
          .says("Steps in proportion to the root mean square of each tensor's weights."),
      Option::number(section + "eps_gradient", 1e-30)
          .more_than(0)
          .taken_on_resume()
          .says("Added to squared gradients."),
      Option::number(section + "eps_parameter", 1e-3)
          .more_than(0)
          .taken_on_resume()
          .says("Least root mean square that weights are taken to have."),
      Option::integer(section + "smallest_factored", 128)
          .at_least(1)
          .says("Tensors whose second largest dimension is smaller keep all second moments; "
                "1: every matrix is factored, as in the paper."),
  };
}

}  // namespace

UpdateRuleKind adafactor_rule() {
  return {"adafactor", "second moments of rows and columns, steps scaled by the weights",
          adafactor_rows(), [](const Config& config, UpdatePath) -> std::unique_ptr<UpdateRule> {
            return std::make_unique<Adafactor>(config);
          }};
}

}  // namespace lc

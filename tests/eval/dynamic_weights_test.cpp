// One step of weights that learn: by hand, from gradients that are set by hand.
#include "eval/dynamic/dynamic_weights.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <vector>

#include "catch.h"
#include "eval/tiny_model.h"

namespace lc {
namespace {

std::vector<at::Tensor> values_of(const LanguageModel& model) {
  std::vector<at::Tensor> values;
  for (const auto& [name, value] : model.parameters().named()) values.push_back(value.clone());
  return values;
}

// Of parameter i, every number the same.
double gradient_value(size_t i) { return 0.5 * static_cast<double>(i + 1); }

// All but the last parameter get one.
void set_gradients(const LanguageModel& model) {
  const auto& all = model.parameters().all();
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    all[i].value.mutable_grad() = at::full_like(all[i].value, gradient_value(i)).detach();
  }
}

}  // namespace

TEST_CASE("sgd: down the gradient, and a share of the way back to the trained weights") {
  const TinyModel tiny(tiny_xl(4, "segment"), at::kDouble);
  const std::vector<at::Tensor> trained = values_of(*tiny.model);
  DynamicWeights weights(*tiny.model, {DynamicRule::kSgd, 0.1, 0.25}, {});
  for (int step = 0; step < 2; ++step) {
    set_gradients(*tiny.model);
    weights.learn();
  }
  const std::vector<at::Tensor> learned = values_of(*tiny.model);
  for (size_t i = 0; i < trained.size(); ++i) {
    CHECK(!tiny.model->parameters().all()[i].value.grad().defined());
    // w1 = w0 - lr g; w2 = w1 + d (w0 - w1) - lr g = w0 - lr g (2 - d).
    const double moved = i + 1 < trained.size() ? -0.1 * gradient_value(i) * 1.75 : 0;
    CHECK(at::allclose(learned[i], trained[i] + moved, 0, 1e-12));
  }
  weights.restore();
  const std::vector<at::Tensor> restored = values_of(*tiny.model);
  for (size_t i = 0; i < trained.size(); ++i) CHECK(at::equal(restored[i], trained[i]));
}

TEST_CASE("rms: each number at its own rate, and back at a pace of its own, no further than back") {
  const TinyModel tiny(tiny_xl(4, "segment"), at::kDouble);
  const std::vector<at::Tensor> trained = values_of(*tiny.model);
  const size_t count = trained.size();
  std::vector<at::Tensor> root_mean;
  double mean = 0;
  const auto root = [](size_t i) { return i == 0 ? 1000.0 : 0.1 * static_cast<double>(i); };
  for (size_t i = 0; i < count; ++i) {
    root_mean.push_back(at::full_like(trained[i], root(i)));
    mean += root(i) / static_cast<double>(count);
  }
  const double lr = 0.01;
  const double decay = 0.5;
  const double epsilon = 0.2;
  REQUIRE(decay * root(0) / mean > 1);  // so that the first is cut to the whole way
  DynamicWeights weights(*tiny.model, {DynamicRule::kRms, lr, decay, epsilon}, root_mean);
  for (int step = 0; step < 2; ++step) {
    set_gradients(*tiny.model);
    weights.learn();
  }
  const std::vector<at::Tensor> learned = values_of(*tiny.model);
  for (size_t i = 0; i + 1 < count; ++i) {
    const double back = std::min(1.0, decay * root(i) / mean);
    const double moved = -lr * gradient_value(i) / (root(i) + epsilon) * (2 - back);
    CHECK(at::allclose(learned[i], trained[i] + moved, 0, 1e-12));
  }
}

TEST_CASE("gradient statistics are the root of the mean square, gradient by gradient") {
  const TinyModel tiny(tiny_xl(4, "segment"), at::kDouble);
  GradientSquares squares(*tiny.model);
  for (const double factor : {1.0, -3.0}) {
    set_gradients(*tiny.model);
    for (const Parameter& parameter : tiny.model->parameters().all()) {
      if (parameter.value.grad().defined()) parameter.value.mutable_grad().mul_(factor);
    }
    squares.add(*tiny.model);
  }
  const std::vector<at::Tensor> roots = squares.root_mean();
  for (size_t i = 0; i + 1 < roots.size(); ++i) {
    const double expected = gradient_value(i) * std::sqrt((1.0 + 9.0) / 2);
    CHECK(at::allclose(roots[i], at::full_like(roots[i], expected), 1e-12));
  }
  CHECK(roots.back().abs().max().item<double>() == 0);
}

TEST_CASE("the mean over tensors counts small ones as much as large ones") {
  // Only the second parameter has statistics: its scaled decay is that of count / 1 times its own.
  const TinyModel tiny(tiny_xl(4, "segment"), at::kDouble);
  const std::vector<at::Tensor> trained = values_of(*tiny.model);
  std::vector<at::Tensor> root_mean;
  for (const at::Tensor& value : trained) root_mean.push_back(at::zeros_like(value));
  root_mean[1].fill_(3);
  const double decay = 0.4 / static_cast<double>(trained.size());
  DynamicWeights weights(*tiny.model, {DynamicRule::kRms, 0, decay, 1}, root_mean);
  {
    const c10::NoGradGuard no_gradient;
    for (const Parameter& parameter : tiny.model->parameters().all()) parameter.value.add_(1);
  }
  weights.learn();
  const std::vector<at::Tensor> learned = values_of(*tiny.model);
  CHECK(at::allclose(learned[0], trained[0] + 1, 0, 1e-12));
  CHECK(at::allclose(learned[1], trained[1] + 0.6, 0, 1e-12));
}

}  // namespace lc

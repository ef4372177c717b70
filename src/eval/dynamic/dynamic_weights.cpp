#include "eval/dynamic/dynamic_weights.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <utility>

#include "core/error.h"

namespace lc {
namespace {

// The gradient of a parameter, taken away from it; undefined where nothing arrived.
at::Tensor take_gradient(const Parameter& parameter) {
  at::Tensor gradient = parameter.value.grad();
  parameter.value.mutable_grad().reset();
  return gradient;
}

// d q for each parameter.
std::vector<at::Tensor> scaled_decay(const std::vector<at::Tensor>& root_mean, double decay) {
  double mean = 0;
  for (const at::Tensor& one : root_mean) mean += one.mean().item<double>();
  mean /= static_cast<double>(root_mean.size());
  std::vector<at::Tensor> scaled;
  for (const at::Tensor& one : root_mean) {
    scaled.push_back(mean > 0 ? (one / mean * decay).clamp_max(1) : at::zeros_like(one));
  }
  return scaled;
}

}  // namespace

std::string name_of(DynamicRule rule) { return rule == DynamicRule::kSgd ? "sgd" : "rms"; }

GradientSquares::GradientSquares(const LanguageModel& model) {
  const c10::NoGradGuard no_gradient;
  for (const Parameter& parameter : model.parameters().all()) {
    sums_.push_back(at::zeros_like(parameter.value));
  }
}

void GradientSquares::add(const LanguageModel& model) {
  const c10::NoGradGuard no_gradient;
  const std::vector<Parameter>& parameters = model.parameters().all();
  for (size_t i = 0; i < parameters.size(); ++i) {
    const at::Tensor gradient = take_gradient(parameters[i]);
    if (gradient.defined()) sums_[i].addcmul_(gradient, gradient);
  }
  ++count_;
}

std::vector<at::Tensor> GradientSquares::root_mean() const {
  LC_CHECK(count_ > 0);
  std::vector<at::Tensor> roots;
  for (const at::Tensor& sum : sums_) roots.push_back((sum / static_cast<double>(count_)).sqrt());
  return roots;
}

DynamicWeights::DynamicWeights(LanguageModel& model, DynamicStep step,
                               std::vector<at::Tensor> root_mean)
    : model_(model), step_(step), root_mean_(std::move(root_mean)) {
  const c10::NoGradGuard no_gradient;
  const std::vector<Parameter>& parameters = model_.parameters().all();
  for (const Parameter& parameter : parameters) trained_.push_back(parameter.value.clone());
  LC_CHECK((step_.rule == DynamicRule::kRms) == !root_mean_.empty());
  if (root_mean_.empty()) return;
  LC_CHECK(root_mean_.size() == parameters.size());
  decay_ = scaled_decay(root_mean_, step_.decay);
}

void DynamicWeights::learn() {
  const c10::NoGradGuard no_gradient;
  const std::vector<Parameter>& parameters = model_.parameters().all();
  for (size_t i = 0; i < parameters.size(); ++i) {
    const at::Tensor gradient = take_gradient(parameters[i]);
    const at::Tensor& value = parameters[i].value;
    at::Tensor change = trained_[i] - value;
    if (step_.rule == DynamicRule::kSgd) {
      change.mul_(step_.decay);
      if (gradient.defined()) change.sub_(gradient, step_.learning_rate);
    } else {
      change.mul_(decay_[i]);
      if (gradient.defined()) {
        change.sub_(gradient / (root_mean_[i] + step_.epsilon), step_.learning_rate);
      }
    }
    value.add_(change);
  }
  model_.after_update();
}

void DynamicWeights::restore() {
  const c10::NoGradGuard no_gradient;
  const std::vector<Parameter>& parameters = model_.parameters().all();
  for (size_t i = 0; i < parameters.size(); ++i) parameters[i].value.copy_(trained_[i]);
  model_.after_update();
}

}  // namespace lc

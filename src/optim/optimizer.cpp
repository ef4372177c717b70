#include "optim/optimizer.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <set>
#include <utility>

#include "core/error.h"
#include "optim/clipping.h"

namespace lc {
namespace {

std::optional<double> optional_number(const Config& config, const std::string& path) {
  return config.is_null(path) ? std::nullopt : std::optional(config.get<double>(path));
}

std::string shape_text(const at::Tensor& tensor) {
  std::string text;
  for (const int64_t size : tensor.sizes()) {
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  }
  return "[" + text + "]";
}

}  // namespace

Optimizer::Optimizer(const Config& config, std::vector<OptimizedParameter> parameters,
                     UpdatePath path)
    : rule_(make_update_rule(config, path)) {
  const auto& named = config.values().at("optim").value("groups", nlohmann::json::object());
  for (OptimizedParameter& parameter : parameters) {
    LC_CHECK(parameter.value.is_leaf() && parameter.value.is_contiguous());
    Group& group = groups_[parameter.group];
    group.weight_decay = config.get<double>("optim.weight_decay");
    group.clip_norm = optional_number(config, "optim.clip_norm");
    if (named.contains(parameter.group)) {
      const std::string section = "optim.groups." + parameter.group + ".";
      const auto rate = optional_number(config, section + "lr");
      if (rate) group.rate_ratio = *rate / config.get<double>("optim.lr");
      group.weight_decay =
          optional_number(config, section + "weight_decay").value_or(group.weight_decay);
      const auto clip_norm = optional_number(config, section + "clip_norm");
      if (clip_norm) group.clip_norm = clip_norm;
    }
    Entry entry{std::move(parameter), {}, {}, 0};
    const at::TensorOptions like = entry.parameter.value.options().requires_grad(false);
    for (StateTensor& kept : rule_->state_of(entry.parameter.value.sizes())) {
      entry.state_names.push_back(kept.name + "." + entry.parameter.name);
      entry.state.push_back(at::zeros(kept.shape, like));
    }
    entries_.push_back(std::move(entry));
  }
}

const Optimizer::Group& Optimizer::group_of(const Entry& entry) const {
  return groups_.at(entry.parameter.group);
}

std::vector<at::Tensor> Optimizer::gradients() const {
  std::vector<at::Tensor> result;
  for (const Entry& entry : entries_) {
    const at::Tensor& gradient = entry.parameter.value.grad();
    result.push_back(gradient.defined() ? gradient.detach().contiguous() : at::Tensor());
  }
  return result;
}

double Optimizer::grad_norm() const { return gradient_norm(gradients()); }

Optimizer::StepReport Optimizer::step(double learning_rate) {
  c10::NoGradGuard no_grad;
  const auto all = gradients();
  StepReport report{.grad_norm = gradient_norm(all)};
  report.applied = std::isfinite(report.grad_norm);
  if (report.applied) {
    report.clip_factor = clip(all);
    update(all, learning_rate);
  }
  for (Entry& entry : entries_) entry.parameter.value.mutable_grad().reset();
  return report;
}

double Optimizer::clip(const std::vector<at::Tensor>& gradients) const {
  std::map<std::string, std::vector<at::Tensor>> members;
  for (size_t i = 0; i < entries_.size(); ++i) {
    members[entries_[i].parameter.group].push_back(gradients[i]);
  }
  double factor_of_main = 1;
  for (const auto& [name, of_group] : members) {
    const auto& clip_norm = groups_.at(name).clip_norm;
    if (!clip_norm) continue;
    const double factor = lc::clip_factor(gradient_norm(of_group), clip_norm);
    scale_gradients(of_group, factor);
    if (name == "main") factor_of_main = factor;
  }
  return factor_of_main;
}

void Optimizer::update(const std::vector<at::Tensor>& gradients, double learning_rate) {
  std::map<std::pair<std::string, bool>, UpdateBatch> batches;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!gradients[i].defined()) continue;
    Entry& entry = entries_[i];
    const bool matrix = entry.parameter.value.dim() >= 2;
    UpdateBatch& batch = batches[{entry.parameter.group, matrix}];
    batch.learning_rate = learning_rate * group_of(entry).rate_ratio;
    batch.weight_decay = matrix ? group_of(entry).weight_decay : 0;
    batch.values.push_back(entry.parameter.value);
    batch.gradients.push_back(gradients[i]);
    batch.state.push_back(entry.state);
    batch.steps.push_back(++entry.steps);
  }
  for (auto& [key, batch] : batches) rule_->update(batch);
}

NamedTensors Optimizer::save() const {
  NamedTensors tensors;
  for (const Entry& entry : entries_) {
    for (size_t s = 0; s < entry.state.size(); ++s) {
      tensors.emplace_back(entry.state_names[s], entry.state[s]);
    }
    tensors.emplace_back("step." + entry.parameter.name, at::full({}, entry.steps, at::kLong));
  }
  return tensors;
}

void Optimizer::load(const NamedTensors& tensors) {
  const std::map<std::string, at::Tensor> given(tensors.begin(), tensors.end());
  std::set<std::string> expected;
  std::string faults;
  const auto fault = [&](const std::string& text) {
    faults += (faults.empty() ? "" : ", ") + text;
  };
  for (const auto& [name, like] : save()) {
    expected.insert(name);
    const auto found = given.find(name);
    if (found == given.end()) {
      fault(name + " is missing");
    } else if (found->second.sizes() != like.sizes()) {
      fault(name + " is " + shape_text(found->second) + ", not " + shape_text(like));
    } else if (found->second.scalar_type() != like.scalar_type()) {
      fault(name + " is " + c10::toString(found->second.scalar_type()) + ", not " +
            c10::toString(like.scalar_type()));
    }
  }
  for (const auto& [name, tensor] : given) {
    if (!expected.contains(name)) fault(name + " is unknown");
  }
  if (!faults.empty()) {
    throw Error(ErrorKind::kData, "optimizer state", faults,
                "continue with the model and optimizer that wrote it");
  }
  c10::NoGradGuard no_grad;
  for (Entry& entry : entries_) {
    for (size_t s = 0; s < entry.state.size(); ++s) {
      entry.state[s].copy_(given.at(entry.state_names[s]));
    }
    entry.steps = given.at("step." + entry.parameter.name).item<int64_t>();
  }
}

}  // namespace lc

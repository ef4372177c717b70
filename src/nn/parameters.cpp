#include "nn/parameters.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <sstream>

#include "core/error.h"
#include "core/rng.h"

namespace lc {
namespace {

std::string shape_text(const at::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.sizes() << ' ' << tensor.scalar_type();
  return text.str();
}

bool fits(const at::Tensor& loaded, const at::Tensor& value, LoadedType type) {
  return loaded.sizes() == value.sizes() &&
         (type == LoadedType::kConverted || loaded.scalar_type() == value.scalar_type());
}

}  // namespace

at::Tensor ParameterSet::add(std::string name, at::IntArrayRef shape, Initial initial,
                             std::string group) {
  for (const Parameter& parameter : parameters_) LC_CHECK(parameter.name != name);
  const auto options = at::TensorOptions().dtype(setup_.dtype).device(setup_.device);
  at::Tensor value;
  if (setup_.device.is_meta()) {
    value = at::empty(shape, options);
  } else if (initial.deviation == 0) {
    value = at::full(shape, initial.mean, options);
  } else {
    const uint64_t key = combine_keys(setup_.seed, hash_text(name));
    value = (normal_draws(key, shape) * initial.deviation + initial.mean).to(options);
  }
  value.requires_grad_(true);
  parameters_.push_back({std::move(name), std::move(group), value});
  return value;
}

int64_t ParameterSet::count() const {
  int64_t total = 0;
  for (const Parameter& parameter : parameters_) total += parameter.value.numel();
  return total;
}

NamedTensors ParameterSet::named() const {
  NamedTensors tensors;
  for (const Parameter& parameter : parameters_) {
    tensors.emplace_back(parameter.name, parameter.value.detach());
  }
  return tensors;
}

void ParameterSet::check(const NamedTensors& tensors, const std::string& source,
                         LoadedType type) const {
  std::string faults;
  const auto fault = [&](const std::string& text) {
    faults += (faults.empty() ? "" : ", ") + text;
  };
  for (const Parameter& parameter : parameters_) {
    const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const auto& entry) {
      return entry.first == parameter.name;
    });
    if (found == tensors.end()) {
      fault("missing " + parameter.name);
    } else if (!fits(found->second, parameter.value, type)) {
      fault(parameter.name + " is " + shape_text(found->second) + " instead of " +
            shape_text(parameter.value));
    }
  }
  for (const auto& [name, tensor] : tensors) {
    const bool known = std::any_of(parameters_.begin(), parameters_.end(),
                                   [&](const Parameter& p) { return p.name == name; });
    if (!known) fault("unknown " + name);
  }
  if (faults.empty()) return;
  throw Error(ErrorKind::kData, source, "the weights don't fit the model: " + faults,
              "use the config that they were trained with");
}

void ParameterSet::load(const NamedTensors& tensors, const std::string& source, LoadedType type) {
  check(tensors, source, type);
  for (const auto& [name, tensor] : tensors) {
    for (Parameter& parameter : parameters_) {
      if (parameter.name == name) parameter.value.detach().copy_(tensor);
    }
  }
}

}  // namespace lc

// A list of tensors with names: what weights, optimizer state and memory look like to a file.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

namespace lc {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

}  // namespace lc

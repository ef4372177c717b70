// Clipping gradients by their 2-norm: the norm is measured first, so that an update whose norm is
// not finite can be skipped before anything is written.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

namespace lc {

// 2-norm over all elements of all tensors, summed in double; undefined tensors count nothing.
// Not finite if any element is not.
double gradient_norm(const std::vector<at::Tensor>& gradients);

// min(1, clip_norm / (norm + 1e-6)); 1 without a clip_norm.
double clip_factor(double norm, std::optional<double> clip_norm);

// Multiplies the tensors in place; a factor of 1 touches nothing.
void scale_gradients(const std::vector<at::Tensor>& gradients, double factor);

}  // namespace lc

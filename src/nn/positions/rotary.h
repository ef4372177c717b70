// The rotation of rotary positions.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lc {

// Row n of x [..., n, d] turned by positions[n], d even, half-split (Su et al. 2021), with h = d/2:
//   x'_j = x_j cos(p f_j) - x_{j+h} sin(p f_j),  x'_{j+h} = x_{j+h} cos(p f_j) + x_j sin(p f_j).
at::Tensor rotate_half_split(const at::Tensor& x_nd, const std::vector<int64_t>& positions,
                             double base);

}  // namespace lc

// Sinusoids of integer positions, formed in float64 (Vaswani et al. 2017, eq. in 3.5).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lc {

// f_j = base^(-2j/width) for j = 0 .. width/2 - 1; width is even. Float64, on the CPU.
at::Tensor inverse_frequencies(int64_t width, double base);
// Angles p f_j: [n, width/2], float64, on the CPU.
at::Tensor position_angles(const std::vector<int64_t>& positions, int64_t width, double base);
// Rows [sin(p f_0) .., cos(p f_0) ..]: [n, width], float64, on the CPU.
at::Tensor sinusoids(const std::vector<int64_t>& positions, int64_t width, double base);

}  // namespace lc

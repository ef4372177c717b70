#include "nn/positions/angles.h"

#include <ATen/ATen.h>

#include <cmath>

namespace lc {

at::Tensor inverse_frequencies(int64_t width, double base) {
  at::Tensor frequencies = at::empty({width / 2}, at::kDouble);
  double* out = frequencies.mutable_data_ptr<double>();
  for (int64_t j = 0; j < width / 2; ++j) {
    out[j] = std::pow(base, -2.0 * static_cast<double>(j) / static_cast<double>(width));
  }
  return frequencies;
}

at::Tensor position_angles(const std::vector<int64_t>& positions, int64_t width, double base) {
  const at::Tensor p_N1 = at::tensor(positions, at::kLong).to(at::kDouble).unsqueeze(1);
  return p_N1 * inverse_frequencies(width, base);
}

at::Tensor sinusoids(const std::vector<int64_t>& positions, int64_t width, double base) {
  const at::Tensor angles = position_angles(positions, width, base);
  return at::cat({angles.sin(), angles.cos()}, 1);
}

}  // namespace lc

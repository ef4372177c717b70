#include "nn/compression/windows.h"

#include <ATen/ATen.h>

#include <vector>

namespace lc {

at::Tensor windows(const at::Tensor& rows_nkD, WindowShape shape) {
  const int64_t beyond = (shape.count(rows_nkD.size(1)) - 1) * shape.stride + 1;
  std::vector<at::Tensor> taps;
  for (int64_t t = 0; t < shape.kernel; ++t) {
    taps.push_back(rows_nkD.slice(1, t, t + beyond, shape.stride));
  }
  return at::stack(taps, 3);
}

at::Tensor newest_of_windows(const at::Tensor& rows_nkD, WindowShape shape, int64_t beyond) {
  const at::Tensor first_g = at::arange(shape.count(rows_nkD.size(1)),
                                        rows_nkD.options().dtype(at::kLong).requires_grad(false)) *
                             shape.stride;
  return (first_g + (shape.kernel - 1 + beyond)).unsqueeze(0).expand({rows_nkD.size(0), -1});
}

}  // namespace lc

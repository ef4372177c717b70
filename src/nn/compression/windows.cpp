#include "nn/compression/windows.h"

#include <ATen/ATen.h>

namespace lc {

at::Tensor windows(const at::Tensor& rows_nkD, WindowShape shape) {
  return rows_nkD.unfold(1, shape.kernel, shape.stride);
}

at::Tensor newest_of_windows(const at::Tensor& rows_nkD, WindowShape shape, int64_t beyond) {
  const at::Tensor first_g = at::arange(shape.count(rows_nkD.size(1)),
                                        rows_nkD.options().dtype(at::kLong).requires_grad(false)) *
                             shape.stride;
  return (first_g + (shape.kernel - 1 + beyond)).unsqueeze(0).expand({rows_nkD.size(0), -1});
}

}  // namespace lc

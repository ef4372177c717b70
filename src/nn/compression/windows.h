// Windows of rows: kernel rows each, one window every stride rows, the first at the oldest row.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lc {

struct WindowShape {
  int64_t kernel = 1;
  int64_t stride = 1;

  int64_t count(int64_t rows) const { return rows < kernel ? 0 : (rows - kernel) / stride + 1; }
};

// [n, k, D] -> [n, g, D, kernel]; at least one window.
at::Tensor windows(const at::Tensor& rows_nkD, WindowShape shape);

// The newest row of each window, `beyond` rows further where a window's rows look ahead: int64
// [n, g].
at::Tensor newest_of_windows(const at::Tensor& rows_nkD, WindowShape shape, int64_t beyond);

}  // namespace lc

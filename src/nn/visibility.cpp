#include "nn/visibility.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

namespace lc {

at::Tensor visibility_mask(int64_t queries, int64_t keys, std::optional<int64_t> farthest,
                           const MemoryFill& memory, const at::TensorOptions& options) {
  const auto integers = options.dtype(at::kLong);
  const at::Tensor key_K = at::arange(keys, integers);
  const at::Tensor delta_TK =
      at::arange(keys - queries, keys, integers).unsqueeze(1) - key_K.unsqueeze(0);
  at::Tensor hidden = delta_TK.lt(0);
  if (farthest && *farthest < keys - 1) hidden = hidden.logical_or(delta_TK.gt(*farthest));
  const bool all_filled = std::all_of(memory.fill_B.begin(), memory.fill_B.end(),
                                      [&](int64_t fill) { return fill == memory.slots; });
  if (!all_filled) {
    const at::Tensor first_filled_B11 =
        memory.slots - at::tensor(memory.fill_B, at::kLong).to(options.device()).view({-1, 1, 1});
    hidden = hidden.unsqueeze(0).logical_or(key_K.lt(first_filled_B11)).unsqueeze(1);
  }
  return at::zeros(hidden.sizes(), options)
      .masked_fill(hidden, -std::numeric_limits<double>::infinity());
}

}  // namespace lc

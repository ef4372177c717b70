#include "nn/visibility.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

namespace lc {
namespace {

// Whether a key lies in front of its lane's first filled slot: bool [B, 1, keys].
at::Tensor unfilled(const MemoryFill& memory, const at::Tensor& key_K) {
  const at::Tensor first_filled_B11 =
      memory.slots - at::tensor(memory.fill_B, at::kLong).to(key_K.device()).view({-1, 1, 1});
  return key_K.lt(first_filled_B11);
}

bool all_filled(const MemoryFill& memory) {
  return std::all_of(memory.fill_B.begin(), memory.fill_B.end(),
                     [&](int64_t fill) { return fill == memory.slots; });
}

at::Tensor mask_of(const at::Tensor& hidden, const at::TensorOptions& options) {
  return at::zeros(hidden.sizes(), options)
      .masked_fill(hidden, -std::numeric_limits<double>::infinity());
}

}  // namespace

MemoryFill fill_of(const MemoryQueue* queue) {
  if (queue == nullptr) return {};
  return {queue->slots.size(1), queue->fill_B};
}

at::Tensor visibility_mask(int64_t queries, int64_t keys, std::optional<int64_t> farthest,
                           const MemoryFill& memory, const at::TensorOptions& options) {
  const auto integers = options.dtype(at::kLong);
  const at::Tensor key_K = at::arange(keys, integers);
  const at::Tensor delta_TK =
      at::arange(keys - queries, keys, integers).unsqueeze(1) - key_K.unsqueeze(0);
  at::Tensor hidden = delta_TK.lt(0);
  if (farthest && *farthest < keys - 1) hidden = hidden.logical_or(delta_TK.gt(*farthest));
  if (!all_filled(memory)) {
    hidden = hidden.unsqueeze(0).logical_or(unfilled(memory, key_K)).unsqueeze(1);
  }
  return mask_of(hidden, options);
}

at::Tensor filled_mask(const MemoryFill& memory, int64_t queries,
                       const at::TensorOptions& options) {
  if (all_filled(memory)) return at::zeros({1, 1, queries, memory.slots}, options);
  const at::Tensor key_K = at::arange(memory.slots, options.dtype(at::kLong));
  return mask_of(unfilled(memory, key_K).unsqueeze(1), options).expand({-1, -1, queries, -1});
}

at::Tensor joined_mask(const at::Tensor& front, const at::Tensor& behind) {
  const at::Tensor a = front.dim() == 2 ? front.unsqueeze(0).unsqueeze(0) : front;
  const at::Tensor b = behind.dim() == 2 ? behind.unsqueeze(0).unsqueeze(0) : behind;
  const int64_t lanes = std::max(a.size(0), b.size(0));
  return at::cat({a.expand({lanes, -1, -1, -1}), b.expand({lanes, -1, -1, -1})}, 3);
}

}  // namespace lc

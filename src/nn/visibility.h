// Which keys a query sees. Key j is visible to query i if 0 <= delta and delta <= farthest (where
// that is given) and the key's slot is filled. A query always sees itself.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/memory_state.h"

namespace lc {

// Filled slots per lane of the memory that stands in front of the other keys.
struct MemoryFill {
  int64_t slots = 0;
  std::vector<int64_t> fill_B;  // empty: every slot is filled
};

MemoryFill fill_of(const MemoryQueue* queue);  // null: no slots

// Added to scores: 0 where visible, -inf where not. [T, K], or [B, 1, T, K] where lanes differ.
// The queries are the last T of the K keys.
at::Tensor visibility_mask(int64_t queries, int64_t keys, std::optional<int64_t> farthest,
                           const MemoryFill& memory, const at::TensorOptions& options);

// The same for keys that every query sees once their slots are filled: [1 or B, 1, T, slots].
at::Tensor filled_mask(const MemoryFill& memory, int64_t queries, const at::TensorOptions& options);

// Masks of keys that stand side by side: those of `front` before the others.
at::Tensor joined_mask(const at::Tensor& front, const at::Tensor& behind);

}  // namespace lc

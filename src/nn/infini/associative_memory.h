// An associative memory of constant size (Munkhdalai et al. 2024, equations 7 to 9 of version 2;
// Katharopoulos et al. 2020): sums of features of keys times values, read by features of queries.
//
// Shapes: B lanes, H heads, T rows, d = d_head. Keys and queries come without positions.
// Precision is that of the state: at least float32, whatever the rows come in.
#pragma once

#include <ATen/core/Tensor.h>

namespace lc {

struct AssociativeMemory {
  at::Tensor matrix_BHdd;     // M: key dimension, value dimension
  at::Tensor normalizer_BHd;  // z
};

// linear: every value is added. delta: only what the memory doesn't give for its key already.
enum class MemoryUpdate { kLinear, kDelta };
// sum: every key counts in full, as published. gamma: by the part of it that is new, so that a
// binding that is written again is read as it was (Rodkin et al. 2024); a constant for gradients.
enum class NormalizerUpdate { kSum, kGamma };

struct WriteRule {
  MemoryUpdate update = MemoryUpdate::kDelta;
  NormalizerUpdate normalizer = NormalizerUpdate::kSum;
};

// sigma(x) = ELU(x) + 1, exact where exp(x) is small; its derivative at 0 is 1.
at::Tensor memory_features(const at::Tensor& x);

// Values [B, H, T, d] for the rows' features; 0 from a memory that holds nothing.
at::Tensor read_memory(const AssociativeMemory& memory, const at::Tensor& features_BHTd);

// The memory with all rows written at once: each of them sees the memory from before.
AssociativeMemory write_memory(const AssociativeMemory& memory, const at::Tensor& features_BHTd,
                               const at::Tensor& values_BHTd, WriteRule rule);

}  // namespace lc

// The relative shift of Transformer-XL, as a view.
#pragma once

#include <ATen/core/Tensor.h>

namespace lc {

// raw [B, H, T, K + 1], contiguous: column c is the score at distance K - c. The result [B, H, T,
// K] has at (i, j) the score at distance i + K - T - j: read flat from offset T on, in rows of K.
// Entries with a negative distance hold values of neighbouring rows; causal masks cover them.
at::Tensor relative_shift(const at::Tensor& raw_BHTC);

}  // namespace lc

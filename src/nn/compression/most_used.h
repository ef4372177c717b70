// Keeps the floor(k/c) rows that received most attention, unchanged and in time order; of equal
// ones the older. The paper leaves open what is counted: here a row's weights in the softmax of its
// last segment, averaged over heads and over those queries of the segment that can see it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "nn/compression/compressor.h"

namespace lc {

std::unique_ptr<Compressor> make_most_used(int64_t rate);

// Sums of attention that the rows [memory ; segment so far] received, over the queries of one call,
// mean over heads: [B, K]. weights_BHTK ends with those rows.
at::Tensor received_attention(const at::Tensor& weights_BHTK, int64_t rows);

// Those sums, over a whole segment, divided by the number of queries that see each row: all for
// rows of memory, length - j for input j.
at::Tensor mean_received(const at::Tensor& sums_BK, int64_t length);

}  // namespace lc

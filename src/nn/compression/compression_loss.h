// What trains a compressor: how much of the evicted rows is lost in the slots made of them (Rae et
// al. 2020, section 3.2 and algorithm 2). Everything but the compression is a constant to it.
//
// Shapes: n lanes that give up the same number of rows, k rows, g slots, H heads, T queries of the
// segment at whose end they were given up, d = d_head, D = d_model.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>

#include "nn/compression/compressor.h"
#include "nn/head_projections.h"

namespace lc {

enum class CompressionObjective { kNone, kAttentionReconstruction, kAutoEncoding };

struct CompressionStep {
  at::Tensor old_nkD;       // the rows, without history
  at::Tensor new_ngD;       // the slots, with that of the compression
  at::Tensor queries_nHTd;  // projected inputs, without biases
};

class CompressionLoss {
 public:
  virtual ~CompressionLoss() = default;
  virtual std::string name() const = 0;                                // with its unit
  virtual at::Tensor per_lane(const CompressionStep& step) const = 0;  // [n]
};

// Mean over heads, queries and d of (A(old) - A(new))^2, where A(rows) is attention to the rows by
// content alone: softmax(q k / sqrt(d)) v, no positions, no mask, no output matrix. Queries with
// index from max(T - memory_length, 0) on: older ones stand before some of the rows.
// The projections outlive it.
std::unique_ptr<CompressionLoss> make_attention_reconstruction(const HeadProjections& heads,
                                                               int64_t memory_length);

// Mean over rows and D of (rec - old)^2, rec_{gc+t} = sum over inputs of new_g[in] G[in, out, t].
// Rows that no slot stands for don't count. Parameter "decoder.weight": G [in, out, c].
std::unique_ptr<CompressionLoss> make_auto_encoding(ParameterSet& parameters,
                                                    const std::string& prefix,
                                                    const HeadProjections& heads, int64_t rate);

}  // namespace lc

// Token ids -> vectors: sqrt(d_model) * projection(table[token]), adaptive or plain.
// Source: Dai et al. 2019 and its published code; Baevski & Auli 2019 for adaptive inputs.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "nn/token_bins.h"

namespace lc {

class Embedding {
 public:
  Embedding(std::vector<TokenBin> bins, TokenTables tables, int64_t d_model);

  at::Tensor operator()(const at::Tensor& tokens_BT) const;  // -> [B, T, D]
  int64_t vocab_size() const { return bins_.back().first + bins_.back().size; }

 private:
  std::vector<TokenBin> bins_;
  TokenTables tables_;
  int64_t d_model_;
};

}  // namespace lc

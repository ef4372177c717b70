// The bins of an adaptive vocabulary and the tables that input and output may share.
//
// Shapes: V vocabulary, D = d_model, E_i width of bin i, n cutoffs, so n + 1 bins.
// With divisor 1 there is one table [V, E] whose rows the bins share; else one table a bin.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/named_tensors.h"
#include "nn/parameters.h"
#include "nn/transformer_settings.h"

namespace lc {

struct TokenBin {
  int64_t first;  // token id
  int64_t size;
  int64_t width;  // E_i
};

std::vector<TokenBin> token_bins(const TransformerSettings& settings, int64_t vocab_size);

// Tables and projections of the input side: embedding.{i}.weight, embedding.{i}.projection.
struct TokenTables {
  std::vector<at::Tensor> tables;       // one in all (divisor 1) or one per bin
  std::vector<at::Tensor> projections;  // [D, E_i], as many as tables; undefined: identity

  TokenTables(ParameterSet& parameters, const TransformerSettings& settings,
              const std::vector<TokenBin>& bins);
};

// The vocabulary that weights of a model were made for: the rows of its tables.
int64_t vocab_size_of(const NamedTensors& weights);

}  // namespace lc

// Hidden states -> negative log likelihoods, through a plain or an adaptive softmax.
//
// Bin 0 holds the frequent tokens and one cluster logit per later bin; the probability of a token
// in bin i > 0 is p(cluster i) * p(token | bin i). Each bin has its own projection where widths
// differ. Source: Grave et al. 2017; the cluster rows' order is an option, since published codes
// differ. Likelihoods are in input order, in at least float32.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "nn/token_bins.h"

namespace lc {

class OutputHead {
 public:
  // tables: the embedding's, shared where the settings tie them.
  OutputHead(ParameterSet& parameters, const TransformerSettings& settings,
             std::vector<TokenBin> bins, const TokenTables& tables);

  at::Tensor nll(const at::Tensor& hidden_BTD, const at::Tensor& targets_BT) const;  // [B, T], nats
  at::Tensor log_probabilities(const at::Tensor& hidden_BD) const;                   // [B, V]

 private:
  struct Bin {
    at::Tensor weight;      // [size, E_i], or [V, E] where all bins share one table
    at::Tensor bias;        // [size], or [V]
    at::Tensor projection;  // [D, E_i]; undefined: identity
  };
  at::Tensor rows(const at::Tensor& table, size_t bin) const;            // those of one bin
  at::Tensor head_log_probabilities(const at::Tensor& hidden_ND) const;  // [N, c_1 + n]
  at::Tensor tail_log_probabilities(size_t bin, const at::Tensor& hidden_ND) const;
  int64_t cluster_column(size_t bin) const;

  std::vector<TokenBin> bins_;
  std::vector<Bin> weights_;
  at::Tensor cluster_weight_;  // [n, E]
  at::Tensor cluster_bias_;    // [n]
  ClusterOrder cluster_order_;
};

}  // namespace lc

// The sizes and rates that every transformer of the zoo shares, read once from section "model".
#pragma once

#include <cstdint>
#include <vector>

#include "config/config.h"

namespace lc {

enum class NormPlace { kPost, kPre };
enum class ClusterOrder { kDescending, kAscending };

// Adaptive input and softmax (Baevski & Auli 2019; Grave et al. 2017). No cutoffs: plain.
struct AdaptiveSettings {
  std::vector<int64_t> cutoffs;       // ascending, inside the vocabulary
  int64_t divisor = 1;                // bin i has width d_embed / divisor^i
  std::vector<bool> tie_projections;  // one per bin
  ClusterOrder cluster_order = ClusterOrder::kDescending;
};

struct TransformerSettings {
  int64_t layers;
  int64_t d_model;
  int64_t heads;
  int64_t d_head;
  int64_t d_inner;
  int64_t d_embed;
  double dropout;
  double attention_dropout;
  NormPlace norm;
  bool final_norm;
  double norm_eps;
  bool tie_weights;
  double init_deviation;             // of matrices, embeddings and learned biases
  double projection_init_deviation;  // of embedding and softmax projections
  AdaptiveSettings adaptive;
};

std::vector<Option> transformer_options();
// Throws Error(kUsage) where the values don't fit each other or the vocabulary.
TransformerSettings read_transformer_settings(const Config& config, int64_t vocab_size);

}  // namespace lc

// What the codes that train a Transformer-XL have in common, and one function for each of them.
//
// They differ in the names of the softmax's tensors, in the order of its cluster rows, in how many
// keys same_length leaves visible, in what a lane attends to before it has seen anything, and in
// whether layers share u and v.
#pragma once

#include <string>
#include <vector>

#include "models/foreign.h"

namespace lc {

ForeignDialect transformer_xl_kimiyoung();
ForeignDialect transformer_xl_nvidia();
ForeignDialect transformer_xl_huggingface();

// Values of section model that a code fixes, or that it has keys of its own for.
struct XlConventions {
  bool names_segment;  // its configs tell the segment length, tgt_len
  bool tie_weights;
  bool share_biases;
  double norm_eps;
  std::string cluster_order;
  std::string same_length_span;  // the attention_span that its same_length is
  std::string initial_memory;
};

// Defaults of the arguments that both reference codes have.
nlohmann::json xl_reference_defaults();
// Keys that all of them have: n_layer, d_model, cutoffs, mem_len, same_length ...
ForeignSettings xl_settings(const ForeignKeys& keys, const XlConventions& conventions);

// Names of one code. {i} stands for the number of a table, {b} for that of a bin.
struct XlNames {
  std::string prefix;                            // of all but the softmax's
  std::string output_weight;                     // "crit.out_layers.{i}.weight"
  std::string output_bias;                       // "crit.out_layers.{i}.bias"
  std::string output_projection;                 // "crit.out_projs.{b}"
  std::string cluster_order;                     // of the softmax's cluster rows
  std::vector<std::string> projection_copies{};  // further names of the embedding's projection {i}
  bool output_copies = true;      // tied tensors stand under their softmax names as well
  bool biases_in_layers = false;  // so do shared u and v under each layer
};
std::vector<ForeignTensor> xl_tensors(const Config& config, int64_t vocab_size,
                                      const XlNames& names);

}  // namespace lc

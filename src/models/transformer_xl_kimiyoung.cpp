// kimiyoung/transformer-xl, pytorch/mem_transformer.py and proj_adaptive_softmax.py: all layers
// share u and v, cluster 1 is the last row, memory is empty at first, and same_length leaves
// mem_len keys visible, itself included.
#include "models/transformer_xl_foreign.h"

namespace lc {
namespace {

// A model's argument is tie_weight; the training program's are tied and not_tied.
bool ties_weights(const ForeignKeys& keys) {
  if (keys.has("not_tied")) return !keys.flag("not_tied");
  return keys.flag(keys.has("tied") ? "tied" : "tie_weight");
}

}  // namespace

ForeignDialect transformer_xl_kimiyoung() {
  return {"kimiyoung", "the authors' PyTorch code: its arguments as JSON",
          [](const nlohmann::json& theirs, const std::string& source) {
            const ForeignKeys keys(theirs, xl_reference_defaults(), source);
            return xl_settings(keys, {.tie_weights = ties_weights(keys),
                                      .share_biases = true,
                                      .norm_eps = 1e-5,
                                      .cluster_order = "descending",
                                      .same_length_span = "reference",
                                      .initial_memory = "empty"});
          },
          [](const Config& config, int64_t vocab_size) {
            return xl_tensors(config, vocab_size,
                              {.prefix = "",
                               .output_weight = "crit.out_layers.{i}.weight",
                               .output_bias = "crit.out_layers.{i}.bias",
                               .output_projection = "crit.out_projs.{b}"});
          }};
}

}  // namespace lc

// NVIDIA DeepLearningExamples, PyTorch/LanguageModeling/Transformer-XL/pytorch: kimiyoung's model
// with other names in the softmax, where tied tables have none and projections of the embedding
// two, and with one more key visible under same_length: mem_len of them before the query.
#include "models/transformer_xl_foreign.h"

namespace lc {

ForeignDialect transformer_xl_nvidia() {
  return {"nvidia", "NVIDIA's DeepLearningExamples: model_config of a checkpoint",
          [](const nlohmann::json& theirs, const std::string& source) {
            const ForeignKeys keys(theirs, xl_reference_defaults(), source);
            return xl_settings(keys, {.names_segment = true,
                                      .tie_weights = keys.flag("tie_weight"),
                                      .share_biases = true,
                                      .norm_eps = 1e-5,
                                      .cluster_order = "descending",
                                      .same_length_span = "fixed",
                                      .initial_memory = "empty"});
          },
          [](const Config& config, int64_t vocab_size) {
            return xl_tensors(config, vocab_size,
                              {.prefix = "",
                               .output_weight = "crit.out_layers_weights.{i}",
                               .output_bias = "crit.out_layers_biases.{i}",
                               .output_projection = "crit.out_projs.{b}",
                               .cluster_order = "descending",
                               .projection_copies = {"crit.shared_out_projs.{i}"},
                               .output_copies = false});
          }};
}

}  // namespace lc

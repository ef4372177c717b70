// kimiyoung/transformer-xl, pytorch/mem_transformer.py and proj_adaptive_softmax.py: all layers
// share u and v, cluster 1 is the last row, memory is empty at first, and same_length leaves
// mem_len keys visible, itself included.
#include "models/transformer_xl_foreign.h"

namespace lc {
namespace {

// cutoffs and tie_projs are variables of its train.py, made from the arguments adaptive and
// dataset.
struct AdaptiveDataset {
  const char* name;
  std::vector<int64_t> cutoffs;
  bool tied;  // projections of all bins but the first
};

const AdaptiveDataset* adaptive_dataset(const ForeignKeys& keys) {
  static const std::vector<AdaptiveDataset> known{{"wt103", {20000, 40000, 200000}, true},
                                                  {"lm1b", {60000, 100000, 640000}, false}};
  const std::string dataset = keys.text("dataset");
  for (const AdaptiveDataset& one : known) {
    if (one.name == dataset) return &one;
  }
  return nullptr;
}

// The arguments, with both variables.
nlohmann::json with_softmax(nlohmann::json theirs, const std::string& source) {
  const ForeignKeys keys(theirs, {{"adaptive", false}, {"dataset", ""}}, source);
  const AdaptiveDataset* dataset = adaptive_dataset(keys);
  if (!keys.has("cutoffs")) {
    theirs["cutoffs"] = nlohmann::json::array();
    if (keys.flag("adaptive")) {
      if (dataset == nullptr) {
        keys.refuse("cutoffs",
                    "add \"cutoffs\" and \"tie_projs\" as that code's train.py set them, since its "
                    "dataset isn't wt103 or lm1b");
      }
      theirs["cutoffs"] = dataset->cutoffs;
    }
  }
  if (keys.has("tie_projs")) return theirs;
  const size_t cutoffs =
      ForeignKeys(theirs, nlohmann::json::object(), source).integers("cutoffs").size();
  if (cutoffs > 0 && dataset == nullptr) {
    keys.refuse("tie_projs",
                "add \"tie_projs\", for each bin whether softmax and embedding share a projection");
  }
  theirs["tie_projs"] = nlohmann::json::array({false});
  for (size_t i = 0; i < cutoffs; ++i) theirs["tie_projs"].push_back(dataset->tied);
  return theirs;
}

// A model's argument is tie_weight; the training program's are tied and not_tied.
bool ties_weights(const ForeignKeys& keys) {
  if (keys.has("not_tied")) return !keys.flag("not_tied");
  return keys.flag(keys.has("tied") ? "tied" : "tie_weight");
}

}  // namespace

ForeignDialect transformer_xl_kimiyoung() {
  return {"kimiyoung", "the authors' PyTorch code: its arguments as JSON",
          [](const nlohmann::json& theirs, const std::string& source) {
            const ForeignKeys keys(with_softmax(theirs, source), xl_reference_defaults(), source);
            return xl_settings(keys, {.names_segment = true,
                                      .tie_weights = ties_weights(keys),
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
                               .output_projection = "crit.out_projs.{b}",
                               .cluster_order = "descending"});
          }};
}

}  // namespace lc

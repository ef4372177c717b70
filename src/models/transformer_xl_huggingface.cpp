// Hugging Face transformers, TransfoXLLMHeadModel (4.30): u and v of each layer unless untie_r is
// false, cluster 1 is the first row, memory is mem_len zero vectors at first, which are attended,
// and same_length leaves mem_len keys visible, itself included.
#include <string>

#include "core/error.h"
#include "core/log.h"
#include "models/transformer_xl_foreign.h"
#include "nn/transformer_settings.h"

namespace lc {
namespace {

constexpr const char* kArchitecture = "transfo-xl";

// Of class TransfoXLConfig, but for mem_len, which every config that it wrote has.
nlohmann::json class_defaults() {
  return {{"model_type", kArchitecture},
          {"vocab_size", 267735},
          {"cutoffs", {20000, 40000, 200000}},
          {"d_model", 1024},
          {"d_embed", 1024},
          {"n_head", 16},
          {"d_head", 64},
          {"d_inner", 4096},
          {"div_val", 4},
          {"pre_lnorm", false},
          {"n_layer", 18},
          {"clamp_len", 1000},
          {"same_length", true},
          {"proj_share_all_but_first", true},
          {"attn_type", 0},
          {"sample_softmax", -1},
          {"dropout", 0.1},
          {"dropatt", 0.0},
          {"untie_r", true},
          {"tie_word_embeddings", true},
          {"layer_norm_epsilon", 1e-5}};
}

ForeignSettings read(const nlohmann::json& theirs, const std::string& source) {
  nlohmann::json defaults = class_defaults();
  ForeignKeys keys(theirs, defaults, source);
  if (theirs.value("model_type", nlohmann::json(kArchitecture)) != kArchitecture) {
    keys.refuse("model_type", "only transfo-xl models can be imported");
  }
  if (!keys.has("tie_projs")) {
    nlohmann::json tied = nlohmann::json::array({false});
    const bool share = keys.flag("proj_share_all_but_first");
    for (size_t i = 0; i < keys.integers("cutoffs").size(); ++i) tied.push_back(share);
    defaults["tie_projs"] = tied;
    keys = ForeignKeys(theirs, defaults, source);
  }
  return xl_settings(keys, {.names_segment = false,
                            .tie_weights = keys.flag("tie_word_embeddings"),
                            .share_biases = !keys.flag("untie_r"),
                            .norm_eps = keys.number("layer_norm_epsilon"),
                            .cluster_order = "ascending",
                            .same_length_span = "reference",
                            .initial_memory = "zeros"});
}

std::vector<ForeignTensor> tensors(const Config& config, int64_t vocab_size) {
  return xl_tensors(config, vocab_size,
                    {.prefix = "transformer.",
                     .output_weight = "crit.out_layers.{i}.weight",
                     .output_bias = "crit.out_layers.{i}.bias",
                     .output_projection = "crit.out_projs.{b}",
                     .cluster_order = "ascending",
                     .biases_in_layers = true});
}

// What their model has no setting for.
void check_expressible(const Config& config) {
  const auto must_be = [&](const std::string& path, const nlohmann::json& value) {
    if (config.at(path) == value) return;
    throw Error(ErrorKind::kUsage, path,
                config.at(path).dump() + " has no counterpart in Hugging Face's model",
                "only models with " + value.dump() + " can be exported");
  };
  must_be("model.positions.scheme", "xl_relative");
  must_be("model.final_norm", false);
  if (!config.is_null("model.positions.score_scaling")) {
    must_be("model.positions.score_scaling", "after_biases");
  }
  if (config.get<std::string>("model.transformer_xl.initial_memory") == "empty") {
    log_warning(
        "Hugging Face's model attends to zero vectors where this one has an empty memory: losses "
        "differ until memory is full");
  }
}

nlohmann::json write(const Config& config, int64_t vocab_size) {
  check_expressible(config);
  const TransformerSettings settings = read_transformer_settings(config, vocab_size);
  const auto span = config.get<std::string>("model.transformer_xl.attention_span");
  const auto memory = config.get<int64_t>("model.transformer_xl.memory_length");
  const bool clamped = !config.is_null("model.positions.clamp_length");
  return {{"model_type", kArchitecture},
          {"architectures", nlohmann::json::array({"TransfoXLLMHeadModel"})},
          {"vocab_size", vocab_size},
          {"cutoffs", settings.adaptive.cutoffs},
          {"d_model", settings.d_model},
          {"d_embed", settings.d_embed},
          {"n_head", settings.heads},
          {"d_head", settings.d_head},
          {"d_inner", settings.d_inner},
          {"div_val", settings.adaptive.divisor},
          {"pre_lnorm", settings.norm == NormPlace::kPre},
          {"n_layer", settings.layers},
          // "fixed" sees memory_length inputs and itself: as many keys as theirs with one more.
          {"mem_len", span == "fixed" ? memory + 1 : memory},
          // Theirs has no such key and keeps it unread; an import of the folder knows it.
          {"tgt_len", config.at("train.segment_length")},
          {"same_length", span != "segment"},
          {"clamp_len", clamped ? config.at("model.positions.clamp_length") : nlohmann::json(-1)},
          {"adaptive", true},
          {"attn_type", 0},
          {"sample_softmax", -1},
          {"dropout", settings.dropout},
          {"dropatt", settings.attention_dropout},
          {"untie_r", !config.get<bool>("model.positions.share_biases")},
          {"tie_projs", settings.adaptive.tie_projections},
          {"tie_word_embeddings", settings.tie_weights},
          {"layer_norm_epsilon", settings.norm_eps},
          {"init_std", settings.init_deviation},
          {"proj_init_std", settings.projection_init_deviation}};
}

}  // namespace

ForeignDialect transformer_xl_huggingface() {
  return {"huggingface", "Hugging Face's TransfoXLLMHeadModel: config.json", read, tensors, write};
}

}  // namespace lc

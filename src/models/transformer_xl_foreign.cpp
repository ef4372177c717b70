#include "models/transformer_xl_foreign.h"

#include <ATen/ATen.h>

#include <utility>

#include "nn/token_bins.h"
#include "nn/transformer_settings.h"

namespace lc {
namespace {

std::string numbered(std::string pattern, size_t number) {
  for (const char* place : {"{i}", "{b}"}) {
    const size_t at = pattern.find(place);
    if (at != std::string::npos) pattern.replace(at, 3, std::to_string(number));
  }
  return pattern;
}

nlohmann::json block_of(const ForeignKeys& keys, const XlConventions& conventions) {
  const bool same_length = keys.flag("same_length");
  nlohmann::json block{
      {"attention_span", same_length ? conventions.same_length_span : "segment"},
      {"initial_memory", conventions.initial_memory}};
  for (const char* key : {"mem_len", "training_memory"}) {
    if (!block.contains("memory_length") && keys.has(key)) {
      block["memory_length"] = keys.integer({key});
    }
  }
  return block;
}

nlohmann::json adaptive_of(const ForeignKeys& keys, const XlConventions& conventions) {
  const std::vector<int64_t> cutoffs = keys.integers("cutoffs");
  std::vector<bool> tied = keys.flags("tie_projs");
  if (tied.size() <= cutoffs.size()) tied.resize(cutoffs.size() + 1, false);
  return {{"cutoffs", cutoffs},
          {"divisor", keys.integer({"div_val"})},
          {"tie_projections", tied},
          {"cluster_order", conventions.cluster_order}};
}

// What the zoo's model isn't.
void check_kind(const ForeignKeys& keys) {
  if (keys.integer({"attn_type"}) != 0) {
    keys.refuse("attn_type", "only models with the paper's own attention, 0, can be imported");
  }
  if (keys.integer({"sample_softmax"}) > 0) {
    keys.refuse("sample_softmax", "only models with a whole softmax, -1, can be imported");
  }
}

class TensorList {
 public:
  TensorList(const Config& config, int64_t vocab_size, const XlNames& names)
      : config_(config),
        names_(names),
        settings_(read_transformer_settings(config, vocab_size)),
        bins_(token_bins(settings_, vocab_size)),
        tables_(settings_.adaptive.divisor == 1 ? 1 : bins_.size()),
        projected_(settings_.adaptive.divisor != 1 || settings_.d_embed != settings_.d_model) {}

  std::vector<ForeignTensor> all() {
    add_constants();
    for (size_t i = 0; i < tables_; ++i) add_table(i);
    add_projections();
    add_biases();
    for (int64_t l = 0; l < settings_.layers; ++l) add_layer(l);
    return std::move(list_);
  }

 private:
  void add(std::vector<std::string> names, std::vector<std::string> ours) {
    list_.push_back({std::move(names), std::move(ours)});
  }

  // Frequencies of the sinusoids.
  void add_constants() {
    const at::Tensor exponents = at::arange(0, settings_.d_model, 2, at::kDouble);
    const at::Tensor frequencies =
        at::pow(10000.0, exponents / -static_cast<double>(settings_.d_model));
    list_.push_back({{names_.prefix + "pos_emb.inv_freq"}, {}, frequencies.to(at::kFloat)});
  }

  void add_table(size_t i) {
    const std::string number = std::to_string(i);
    std::vector<std::string> names{names_.prefix + "word_emb.emb_layers." + number + ".weight"};
    const std::string output = numbered(names_.output_weight, i);
    if (settings_.tie_weights) {
      if (names_.output_copies) names.push_back(output);
    } else {
      add({output}, {"output." + number + ".weight"});
    }
    add(std::move(names), {"embedding." + number + ".weight"});
    add({numbered(names_.output_bias, i)}, {"output." + number + ".bias"});
  }

  void add_projections() {
    std::vector<std::vector<std::string>> shared(projected_ ? tables_ : 0);
    for (size_t i = 0; i < shared.size(); ++i) {
      shared[i] = {names_.prefix + "word_emb.emb_projs." + std::to_string(i)};
      for (const std::string& copy : names_.projection_copies) {
        shared[i].push_back(numbered(copy, i));
      }
    }
    for (size_t b = 0; projected_ && b < bins_.size(); ++b) {
      const std::string name = numbered(names_.output_projection, b);
      if (!settings_.adaptive.tie_projections[b]) {
        add({name}, {"output." + std::to_string(b) + ".projection"});
      } else if (names_.output_copies) {
        shared[tables_ == 1 ? 0 : b].push_back(name);
      }
    }
    for (size_t i = 0; i < shared.size(); ++i) {
      add(std::move(shared[i]), {"embedding." + std::to_string(i) + ".projection"});
    }
    if (bins_.size() == 1) return;
    for (const char* part : {"weight", "bias"}) {
      list_.push_back({{std::string("crit.cluster_") + part},
                       {std::string("output.cluster.") + part},
                       {},
                       names_.clusters});
    }
  }

  // u and v.
  void add_biases() {
    const bool share = config_.get<bool>("model.positions.share_biases");
    for (const auto& [theirs, own] : {std::pair("r_w_bias", "positions.content_bias"),
                                      std::pair("r_r_bias", "positions.position_bias")}) {
      std::vector<std::string> shared{names_.prefix + theirs};
      for (int64_t l = 0; l < settings_.layers; ++l) {
        const std::string layer = "layers." + std::to_string(l) + ".";
        const std::string name = names_.prefix + layer + "dec_attn." + theirs;
        if (names_.biases_in_layers) shared.push_back(name);
        if (!share) add({name}, {layer + own});
      }
      if (share) add(std::move(shared), {own});
    }
  }

  void add_layer(int64_t l) {
    const std::string layer = "layers." + std::to_string(l) + ".";
    const std::string theirs = names_.prefix + layer;
    const std::string attention = layer + "attention.";
    add({theirs + "dec_attn.qkv_net.weight"},
        {attention + "query.weight", attention + "key.weight", attention + "value.weight"});
    add({theirs + "dec_attn.r_net.weight"}, {layer + "positions.projection.weight"});
    add({theirs + "dec_attn.o_net.weight"}, {attention + "output.weight"});
    for (const std::string part : {"weight", "bias"}) {
      add({theirs + "dec_attn.layer_norm." + part}, {attention + "norm." + part});
      add({theirs + "pos_ff.CoreNet.0." + part}, {layer + "feed_forward.up." + part});
      add({theirs + "pos_ff.CoreNet.3." + part}, {layer + "feed_forward.down." + part});
      add({theirs + "pos_ff.layer_norm." + part}, {layer + "feed_forward.norm." + part});
    }
  }

  const Config& config_;
  const XlNames& names_;
  TransformerSettings settings_;
  std::vector<TokenBin> bins_;
  size_t tables_;
  bool projected_;
  std::vector<ForeignTensor> list_;
};

}  // namespace

nlohmann::json xl_reference_defaults() {
  return {{"tie_weight", true}, {"cutoffs", nlohmann::json::array()},
          {"div_val", 1},       {"tie_projs", nlohmann::json::array({false})},
          {"dropout", 0.0},     {"dropatt", 0.0},
          {"pre_lnorm", false}, {"same_length", false},
          {"attn_type", 0},     {"clamp_len", -1},
          {"sample_softmax", -1}};
}

ForeignSettings xl_settings(const ForeignKeys& keys, const XlConventions& conventions) {
  check_kind(keys);
  nlohmann::json model{{"type", "transformer_xl"},
                       {"layers", keys.integer({"n_layer"})},
                       {"d_model", keys.integer({"d_model"})},
                       {"heads", keys.integer({"n_head"})},
                       {"d_head", keys.integer({"d_head"})},
                       {"d_inner", keys.integer({"d_inner"})},
                       {"dropout", keys.number("dropout")},
                       {"attention_dropout", keys.number("dropatt")},
                       {"norm", keys.flag("pre_lnorm") ? "pre" : "post"},
                       {"norm_eps", conventions.norm_eps},
                       {"tie_weights", conventions.tie_weights},
                       {"adaptive", adaptive_of(keys, conventions)},
                       {"transformer_xl", block_of(keys, conventions)}};
  // -1: as wide as the model.
  if (keys.has("d_embed") && keys.integer({"d_embed"}) > 0) {
    model["d_embed"] = keys.integer({"d_embed"});
  }
  model["positions"] = {{"scheme", "xl_relative"}, {"share_biases", conventions.share_biases}};
  if (const int64_t clamp = keys.integer({"clamp_len"}); clamp > 0) {
    model["positions"]["clamp_length"] = clamp;
  }
  ForeignSettings settings{{{"model", model}}, keys.integer({"vocab_size", "n_token"})};
  for (const char* key : {"tgt_len", "training_segment"}) {
    if (!settings.sections.contains("train") && keys.has(key)) {
      settings.sections["train"] = {{"segment_length", keys.integer({key})}};
    }
  }
  return settings;
}

std::vector<ForeignTensor> xl_tensors(const Config& config, int64_t vocab_size,
                                      const XlNames& names) {
  return TensorList(config, vocab_size, names).all();
}

}  // namespace lc

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

// Wide enough for any model that was trained, narrow enough for the sizes of its tensors in bytes.
constexpr WholeRange kLayers{1, 1 << 12};
constexpr WholeRange kWidths{1, 1 << 20};
constexpr WholeRange kVocabulary{1, 1 << 30};
constexpr WholeRange kMemories{0, 1 << 24};
constexpr WholeRange kSegments{1, 1 << 24};
constexpr WholeRange kOrNone{-1, 1 << 24};

nlohmann::json block_of(const ForeignKeys& keys, const XlConventions& conventions) {
  if (!keys.has("mem_len") && !keys.has("training_memory")) {
    keys.refuse("mem_len", "add \"mem_len\": N, the inputs of each layer that are remembered");
  }
  const auto memory = keys.integer({"mem_len", "training_memory"}, kMemories);
  const std::string span = keys.flag("same_length") ? conventions.same_length_span : "segment";
  if (memory == 0 && span == "reference") {
    keys.refuse("same_length", "with a memory of 0 it hides every key: give false, or more memory");
  }
  return {{"attention_span", span},
          {"initial_memory", conventions.initial_memory},
          {"memory_length", memory}};
}

// Of the embeddings of the first bin; -1: as wide as the model.
int64_t embedding_width(const ForeignKeys& keys) {
  const int64_t width =
      keys.has("d_embed") ? keys.integer({"d_embed"}, {-1, kWidths.most}) : int64_t{-1};
  if (width == 0) keys.refuse("d_embed", "give a width of 1 or more, or -1 for that of d_model");
  return width > 0 ? width : keys.integer({"d_model"}, kWidths);
}

nlohmann::json adaptive_of(const ForeignKeys& keys, int64_t vocab_size,
                           const XlConventions& conventions) {
  const std::vector<int64_t> cutoffs = keys.integers("cutoffs");
  const auto divisor = keys.integer({"div_val"}, kWidths);
  const size_t bins = cutoffs.size() + 1;
  int64_t width = embedding_width(keys);
  int64_t below = 0;
  for (const int64_t cutoff : cutoffs) {
    if (cutoff <= below || cutoff >= vocab_size) {
      keys.refuse("cutoffs", "give token ids that ascend and lie inside the vocabulary of " +
                                 std::to_string(vocab_size));
    }
    below = cutoff;
    width /= divisor;
  }
  if (width < 1) {
    keys.refuse("div_val", "give one that leaves the last of " + std::to_string(bins) +
                               " bins a width of d_embed " + std::to_string(embedding_width(keys)));
  }
  std::vector<bool> tied = keys.flags("tie_projs");
  if (tied.size() > bins) {
    keys.refuse("tie_projs", "give a value for each of " + std::to_string(bins) +
                                 " bins, of which there is one more than cutoffs");
  }
  tied.resize(bins, false);
  return {{"cutoffs", cutoffs},
          {"divisor", divisor},
          {"tie_projections", tied},
          {"cluster_order", conventions.cluster_order}};
}

// What the zoo's model isn't.
void check_kind(const ForeignKeys& keys) {
  if (keys.integer({"attn_type"}, kOrNone) != 0) {
    keys.refuse("attn_type", "only models with the paper's own attention, 0, can be imported");
  }
  if (keys.integer({"sample_softmax"}, kOrNone) > 0) {
    keys.refuse("sample_softmax", "only models with a whole softmax, -1, can be imported");
  }
  if (keys.has("ext_len") && keys.integer({"ext_len"}, kMemories) != 0) {
    keys.refuse("ext_len", "only models without an extended context, 0, can be imported");
  }
}

// Losses depend on the segment length, unless as many keys are visible wherever a segment begins.
void read_segment(const ForeignKeys& keys, const XlConventions& conventions,
                  ForeignSettings& settings) {
  if (keys.has("tgt_len") || keys.has("training_segment")) {
    settings.sections["train"] = {
        {"segment_length", keys.integer({"tgt_len", "training_segment"}, kSegments)}};
  } else if (conventions.names_segment) {
    keys.refuse("tgt_len", "add \"tgt_len\": N, the tokens that were read at once");
  } else if (!keys.flag("same_length")) {
    settings.absent_segment = "tgt_len";
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
    const auto own_order = config_.get<std::string>("model.adaptive.cluster_order");
    const RowOrder rows = own_order == names_.cluster_order ? RowOrder::kSame : RowOrder::kReversed;
    for (const char* part : {"weight", "bias"}) {
      list_.push_back({{std::string("crit.cluster_") + part},
                       {std::string("output.cluster.") + part},
                       {},
                       rows});
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
  return {{"tie_weight", true},  {"cutoffs", nlohmann::json::array()},
          {"div_val", 1},        {"tie_projs", nlohmann::json::array({false})},
          {"dropout", 0.0},      {"dropatt", 0.0},
          {"pre_lnorm", false},  {"same_length", false},
          {"attn_type", 0},      {"clamp_len", -1},
          {"sample_softmax", -1}};
}

ForeignSettings xl_settings(const ForeignKeys& keys, const XlConventions& conventions) {
  check_kind(keys);
  const auto vocab_size = keys.integer({"vocab_size", "n_token"}, kVocabulary);
  const auto d_model = keys.integer({"d_model"}, kWidths);
  nlohmann::json model{{"type", "transformer_xl"},
                       {"layers", keys.integer({"n_layer"}, kLayers)},
                       {"d_model", d_model},
                       {"heads", keys.integer({"n_head"}, kWidths)},
                       {"d_head", keys.integer({"d_head"}, kWidths)},
                       {"d_inner", keys.integer({"d_inner"}, kWidths)},
                       {"dropout", keys.number("dropout")},
                       {"attention_dropout", keys.number("dropatt")},
                       {"norm", keys.flag("pre_lnorm") ? "pre" : "post"},
                       {"norm_eps", conventions.norm_eps},
                       {"tie_weights", conventions.tie_weights},
                       {"adaptive", adaptive_of(keys, vocab_size, conventions)},
                       {"transformer_xl", block_of(keys, conventions)}};
  if (const int64_t width = embedding_width(keys); width != d_model) model["d_embed"] = width;
  model["positions"] = {{"scheme", "xl_relative"}, {"share_biases", conventions.share_biases}};
  if (const int64_t clamp = keys.integer({"clamp_len"}, kOrNone); clamp > 0) {
    model["positions"]["clamp_length"] = clamp;
  }
  ForeignSettings settings{{{"model", model}}, vocab_size};
  read_segment(keys, conventions, settings);
  return settings;
}

std::vector<ForeignTensor> xl_tensors(const Config& config, int64_t vocab_size,
                                      const XlNames& names) {
  return TensorList(config, vocab_size, names).all();
}

}  // namespace lc

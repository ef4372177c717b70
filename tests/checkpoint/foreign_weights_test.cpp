// Names of other codes' weights: maps in both directions, and what they are refused for.
#include <limits>
#include <set>
#include <tuple>

#include "checkpoint/foreign_fixture.h"

namespace foreign_test {

TEST_CASE("a format's tensors hold every parameter once, and read back as they were", "[foreign]") {
  for (const std::string format : {"kimiyoung", "nvidia", "huggingface"}) {
    for (const Json& theirs : configs()) {
      INFO(format << " " << theirs.dump());
      const lc::Config config = config_of(format, theirs);
      const lc::NamedTensors ours = parameters_of(config);
      std::multiset<std::string> used;
      for (const lc::ForeignTensor& entry : dialect(format).tensors(config, kTokens)) {
        used.insert(entry.ours.begin(), entry.ours.end());
      }
      for (const auto& [name, tensor] : ours) CHECK(used.count(name) == 1);
      CHECK(used.size() == ours.size());

      const lc::TemporaryFolder folder;
      const auto file = folder.path() / "w.safetensors";
      lc::write_safetensors(file, exported(format, config));
      check_equal(lc::read_foreign_weights(format, config, kTokens, file), ours);
    }
  }
}

TEST_CASE("kimiyoung's names, one by one", "[foreign]") {
  const lc::Config config = config_of("kimiyoung", adaptive_config());
  const auto ours = as_map(parameters_of(config));
  auto theirs = as_map(exported("kimiyoung", config));
  const auto same = [&](const std::string& name, const std::string& own) {
    INFO(name);
    REQUIRE(theirs.contains(name));
    CHECK(at::equal(theirs.at(name), ours.at(own)));
    theirs.erase(name);
  };
  same("r_w_bias", "positions.content_bias");
  same("r_r_bias", "positions.position_bias");
  for (const std::string l : {"0", "1"}) {
    const std::string layer = "layers." + l + ".";
    const at::Tensor qkv = theirs.at(layer + "dec_attn.qkv_net.weight");
    CHECK(at::equal(qkv.narrow(0, 0, 12), ours.at(layer + "attention.query.weight")));
    CHECK(at::equal(qkv.narrow(0, 12, 12), ours.at(layer + "attention.key.weight")));
    CHECK(at::equal(qkv.narrow(0, 24, 12), ours.at(layer + "attention.value.weight")));
    theirs.erase(layer + "dec_attn.qkv_net.weight");
    same(layer + "dec_attn.r_net.weight", layer + "positions.projection.weight");
    same(layer + "dec_attn.o_net.weight", layer + "attention.output.weight");
    same(layer + "dec_attn.layer_norm.weight", layer + "attention.norm.weight");
    same(layer + "dec_attn.layer_norm.bias", layer + "attention.norm.bias");
    same(layer + "pos_ff.CoreNet.0.weight", layer + "feed_forward.up.weight");
    same(layer + "pos_ff.CoreNet.0.bias", layer + "feed_forward.up.bias");
    same(layer + "pos_ff.CoreNet.3.weight", layer + "feed_forward.down.weight");
    same(layer + "pos_ff.CoreNet.3.bias", layer + "feed_forward.down.bias");
    same(layer + "pos_ff.layer_norm.weight", layer + "feed_forward.norm.weight");
    same(layer + "pos_ff.layer_norm.bias", layer + "feed_forward.norm.bias");
  }
  for (const std::string i : {"0", "1", "2"}) {
    same("word_emb.emb_layers." + i + ".weight", "embedding." + i + ".weight");
    same("crit.out_layers." + i + ".weight", "embedding." + i + ".weight");  // tied
    same("crit.out_layers." + i + ".bias", "output." + i + ".bias");
    same("word_emb.emb_projs." + i, "embedding." + i + ".projection");
  }
  same("crit.out_projs.0", "output.0.projection");
  same("crit.out_projs.1", "embedding.1.projection");  // tied
  same("crit.out_projs.2", "output.2.projection");
  same("crit.cluster_weight", "output.cluster.weight");
  same("crit.cluster_bias", "output.cluster.bias");
  // 10000^(-2j / d), d = 8.
  const at::Tensor frequencies = at::tensor({1.0, 0.1, 0.01, 0.001}, at::kDouble);
  CHECK(at::allclose(theirs.at("pos_emb.inv_freq").to(at::kDouble), frequencies, 1e-6));
  CHECK(theirs.size() == 1);
}

TEST_CASE("NVIDIA's tensors are kimiyoung's under other names", "[foreign]") {
  for (const bool tied : {true, false}) {
    Json theirs = adaptive_config();
    theirs["tie_weight"] = tied;
    const lc::Config config = config_of("nvidia", theirs);
    lc::NamedTensors renamed;
    for (auto [name, tensor] : exported("kimiyoung", config)) {
      const std::string layers = "crit.out_layers.";
      if (name.starts_with(layers)) {
        const bool weight = name.ends_with(".weight");
        if (weight && tied) continue;
        name = (weight ? "crit.out_layers_weights." : "crit.out_layers_biases.") +
               name.substr(layers.size(), 1);
      }
      if (name == "crit.out_projs.1") continue;  // tied: None there
      renamed.emplace_back(name, tensor);
      if (name.starts_with("word_emb.emb_projs.")) {
        renamed.emplace_back("crit.shared_out_projs." + name.substr(19), tensor);
      }
    }
    check_equal(lc::from_foreign(dialect("nvidia").tensors(config, kTokens), renamed, "test"),
                parameters_of(config));
  }
}

TEST_CASE("bins of one width have one table, and no projection if it is the model's", "[foreign]") {
  for (const auto& [format, prefix, bias] :
       {std::tuple("kimiyoung", "", "crit.out_layers.0.bias"),
        std::tuple("nvidia", "", "crit.out_layers_biases.0"),
        std::tuple("huggingface", "transformer.", "crit.out_layers.0.bias")}) {
    INFO(format);
    Json theirs = one_table_config();
    theirs["vocab_size"] = kTokens;
    std::map<std::string, std::vector<int64_t>> outside_layers;
    for (const auto& [name, tensor] : exported(format, config_of(format, theirs))) {
      if (!has(name, "layers.0.dec_attn") && !has(name, "layers.1.dec_attn") &&
          !has(name, ".pos_ff.")) {
        outside_layers[name] = tensor.sizes().vec();
      }
    }
    std::map<std::string, std::vector<int64_t>> expected{
        {std::string(prefix) + "word_emb.emb_layers.0.weight", {kTokens, 8}},
        {bias, {kTokens}},
        {"crit.cluster_weight", {2, 8}},
        {"crit.cluster_bias", {2}},
        {std::string(prefix) + "pos_emb.inv_freq", {4}}};
    // NVIDIA's softmax has no tied table of its own; Hugging Face's layers have their own biases.
    if (format != std::string("nvidia")) expected["crit.out_layers.0.weight"] = {kTokens, 8};
    if (format != std::string("huggingface")) {
      expected["r_w_bias"] = expected["r_r_bias"] = {3, 4};
    }
    CHECK(outside_layers == expected);
  }
}

TEST_CASE("clusters turn around for a format with the other order", "[foreign]") {
  Json theirs = adaptive_config();
  const lc::Config config = config_of("kimiyoung", theirs);  // descending
  const auto ours = as_map(parameters_of(config));
  const auto reference = as_map(exported("kimiyoung", config));
  const auto ascending = as_map(exported("huggingface", config));
  const at::Tensor own = ours.at("output.cluster.weight");
  CHECK(at::equal(reference.at("crit.cluster_weight"), own));
  CHECK(at::equal(ascending.at("crit.cluster_weight"), at::stack({own[1], own[0]})));
  const at::Tensor bias = at::tensor({1.0F, 2.0F}, at::kFloat);
  lc::NamedTensors changed = parameters_of(config);
  for (auto& [name, tensor] : changed) {
    if (name == "output.cluster.bias") tensor = bias;
  }
  const auto turned =
      as_map(lc::to_foreign(dialect("huggingface").tensors(config, kTokens), changed));
  CHECK(at::equal(turned.at("crit.cluster_bias"), at::tensor({2.0F, 1.0F}, at::kFloat)));
}

TEST_CASE("clusters turn around for a config with the other order than the format's", "[foreign]") {
  const std::string order = "model.adaptive.cluster_order=";
  for (const auto& [format, own, other] : {std::tuple("kimiyoung", "descending", "ascending"),
                                           std::tuple("nvidia", "descending", "ascending"),
                                           std::tuple("huggingface", "ascending", "descending")}) {
    INFO(format);
    Json theirs = adaptive_config();
    theirs["vocab_size"] = kTokens;
    const Json sections = settings_of(format, theirs).sections;
    const lc::Config same = read_model(sections, {order + own});
    const lc::Config turned = read_model(sections, {order + other});
    const lc::TemporaryFolder folder;
    const auto file = folder.path() / "w.safetensors";
    lc::write_safetensors(file, exported(format, same));
    lc::NamedTensors expected = parameters_of(same);
    for (auto& [name, tensor] : expected) {
      if (name.starts_with("output.cluster.")) tensor = tensor.flip(0);
    }
    check_equal(lc::read_foreign_weights(format, turned, kTokens, file), expected);
  }
}

TEST_CASE("weights are finite floating-point numbers of any width", "[foreign]") {
  const lc::Config config = config_of("kimiyoung", adaptive_config());
  lc::NamedTensors mixed;
  lc::NamedTensors broken;
  for (auto [name, tensor] : exported("kimiyoung", config)) {
    const bool tied = name == "crit.out_layers.1.weight";
    mixed.emplace_back(name, tied ? tensor.to(at::kDouble) : tensor);
    if (name == "r_w_bias") tensor = tensor.to(at::kLong);
    if (name == "layers.1.dec_attn.r_net.weight") {
      tensor = at::full_like(tensor, std::numeric_limits<double>::quiet_NaN());
    }
    if (name == "crit.out_layers.1.bias") {
      tensor = at::full_like(tensor, std::numeric_limits<double>::infinity()).to(at::kHalf);
    }
    if (name == "layers.0.dec_attn.o_net.weight") tensor = tensor.to(at::kBFloat16);
    broken.emplace_back(name, tensor);
  }
  CHECK(fault_of("kimiyoung", config, mixed).empty());
  const std::string message = fault_of("kimiyoung", config, broken);
  CAPTURE(message);
  CHECK(has(message, "r_w_bias holds Long instead of floating-point numbers"));
  CHECK(has(message, "layers.1.dec_attn.r_net.weight holds values that aren't finite"));
  CHECK(has(message, "crit.out_layers.1.bias holds values that aren't finite"));
  CHECK(!has(message, "o_net"));
  CHECK(!has(message, "\n"));
}

TEST_CASE("one name of a tied tensor is enough", "[foreign]") {
  const lc::Config config = config_of("huggingface", [] {
    Json theirs = adaptive_config();
    theirs["vocab_size"] = kTokens;
    theirs["untie_r"] = false;
    return theirs;
  }());
  for (const std::string left_out : {"transformer.word_emb.emb_layers", "crit.out_layers.1.weight",
                                     "crit.out_projs.1", "transformer.word_emb.emb_projs.1",
                                     "transformer.r_w_bias", "transformer.pos_emb.inv_freq"}) {
    INFO(left_out);
    lc::NamedTensors theirs;
    for (const auto& entry : exported("huggingface", config)) {
      if (!entry.first.starts_with(left_out)) theirs.push_back(entry);
    }
    CHECK(fault_of("huggingface", config, theirs).empty());
  }
}

TEST_CASE("weights that don't fit are listed, all at once", "[foreign]") {
  const lc::Config config = config_of("kimiyoung", adaptive_config());
  lc::NamedTensors theirs;
  for (auto [name, tensor] : exported("kimiyoung", config)) {
    if (name == "r_w_bias") continue;
    if (name == "layers.0.dec_attn.qkv_net.weight") tensor = tensor.narrow(0, 0, 35);
    if (name == "crit.out_layers.1.weight") tensor = tensor + 1;
    if (name == "pos_emb.inv_freq") tensor = tensor * 2;
    theirs.emplace_back(name, tensor);
  }
  theirs.emplace_back("layers.2.extra", at::zeros({1}));
  const std::string message = fault_of("kimiyoung", config, theirs);
  CAPTURE(message);
  CHECK(has(message, "missing r_w_bias"));
  CHECK(has(message, "layers.0.dec_attn.qkv_net.weight has no 3 equal blocks of rows"));
  CHECK(has(message, "crit.out_layers.1.weight isn't word_emb.emb_layers.1.weight"));
  CHECK(has(message, "pos_emb.inv_freq is another constant"));
  CHECK(has(message, "unknown layers.2.extra"));
  CHECK(!has(message, "\n"));

  // Of the right names and another size: told by our names.
  Json deeper = adaptive_config();
  deeper["d_inner"] = 11;
  const std::string shapes =
      fault_of("kimiyoung", config_of("kimiyoung", deeper), exported("kimiyoung", config));
  CHECK(has(shapes, "layers.1.feed_forward.up.weight is [10, 8] Float instead of [11, 8] Float"));
}

}  // namespace foreign_test

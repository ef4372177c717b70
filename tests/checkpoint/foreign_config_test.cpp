// Configs of other codes: what they mean, what they are refused for, and what is exported.
#include <tuple>

#include "checkpoint/foreign_fixture.h"

namespace foreign_test {
namespace {

// Exit code and message.
std::string refused(const std::string& format, const Json& theirs) {
  try {
    settings_of(format, theirs);
  } catch (const lc::Error& error) {
    return std::to_string(static_cast<int>(error.kind())) + " " + error.what();
  }
  return "";
}

// The same with one key of a small config set anew.
std::string refused_with(const std::string& format, const std::string& key, const Json& value) {
  Json theirs = adaptive_config();
  theirs.update({{"vocab_size", kTokens}, {"d_embed", -1}});
  theirs[key] = value;
  const std::string message = refused(format, theirs);
  if (message.empty()) return message;
  CHECK(message.starts_with("3 "));
  CHECK(has(message, "config.json, " + key + ": "));
  return message;
}

}  // namespace

TEST_CASE("same_length means what it means in each code", "[foreign]") {
  for (const auto& [format, span, initial] :
       {std::tuple("kimiyoung", "reference", "empty"), std::tuple("nvidia", "fixed", "empty"),
        std::tuple("huggingface", "reference", "zeros")}) {
    Json theirs = adaptive_config();
    theirs["vocab_size"] = kTokens;
    for (const bool same : {true, false}) {
      theirs["same_length"] = same;
      const lc::Config config = config_of(format, theirs);
      const auto block = config.values().at("model").at("transformer_xl");
      CHECK(block.at("attention_span") == (same ? span : "segment"));
      CHECK(block.at("initial_memory") == initial);
      CHECK(block.at("memory_length") == 7);
    }
  }
}

TEST_CASE("a config of the reference is read with its defaults and aliases", "[foreign]") {
  Json theirs = reference_config();
  theirs["d_embed"] = -1;
  lc::ForeignSettings settings = settings_of("kimiyoung", theirs);
  CHECK(settings.vocab_size == kTokens);
  CHECK(settings.sections.at("train").at("segment_length") == 5);
  lc::Config config = read_model(settings.sections);
  CHECK(config.is_null("model.d_embed"));
  CHECK(config.is_null("model.positions.clamp_length"));
  CHECK(config.at("model.norm") == "post");
  CHECK(config.at("model.tie_weights") == true);
  CHECK(config.at("model.positions.share_biases") == true);
  CHECK(config.at("model.adaptive.cluster_order") == "descending");

  theirs = adaptive_config();
  theirs.erase("n_token");
  theirs.update({{"vocab_size", kTokens},
                 {"not_tied", true},
                 {"pre_lnorm", true},
                 {"clamp_len", 9},
                 {"tie_projs", {false, true}},
                 {"training_memory", 99},
                 {"dropatt", 0.1}});
  settings = settings_of("kimiyoung", theirs);
  config = read_model(settings.sections);
  CHECK(config.at("model.transformer_xl.memory_length") == 7);
  CHECK(config.at("model.tie_weights") == false);
  CHECK(config.at("model.norm") == "pre");
  CHECK(config.at("model.positions.clamp_length") == 9);
  CHECK(config.at("model.adaptive.tie_projections") == Json{false, true, false});
  CHECK(config.at("model.attention_dropout") == 0.1);
  theirs.erase("mem_len");
  theirs.erase("tgt_len");
  theirs["training_segment"] = 6;
  settings = settings_of("kimiyoung", theirs);
  CHECK(settings.sections.at("model").at("transformer_xl").at("memory_length") == 99);
  CHECK(settings.sections.at("train").at("segment_length") == 6);
}

TEST_CASE("Hugging Face's defaults and flags of sharing", "[foreign]") {
  const lc::ForeignSettings settings = settings_of("huggingface", {{"mem_len", 1600}});
  CHECK(settings.vocab_size == 267735);
  const lc::Config config = read_model(settings.sections);
  CHECK(config.at("model.adaptive.tie_projections") == Json{false, true, true, true});
  CHECK(config.at("model.transformer_xl.attention_span") == "reference");
  CHECK(config.at("model.positions.share_biases") == false);
  // The published model: parameters of the paper's large one, u and v in each layer.
  const auto model = lc::build_model(config, {267735, {at::kFloat, at::kMeta, 1}});
  CHECK(model->parameters().count() == 285'205'322);
  const lc::Config apart = config_of(
      "huggingface", {{"mem_len", 1600}, {"proj_share_all_but_first", false}, {"untie_r", false}});
  CHECK(apart.at("model.adaptive.tie_projections") == Json{false, false, false, false});
  CHECK(apart.at("model.positions.share_biases") == true);
}

TEST_CASE("what can't be imported is refused in one sentence", "[foreign]") {
  Json theirs = reference_config();
  theirs["attn_type"] = 2;
  CHECK(has(refused("kimiyoung", theirs), "config.json, attn_type: can't be 2"));
  theirs = reference_config();
  theirs["sample_softmax"] = 100;
  CHECK(has(refused("nvidia", theirs), "sample_softmax: can't be 100"));
  theirs = reference_config();
  theirs.erase("n_layer");
  CHECK(has(refused("kimiyoung", theirs), "3 "));
  CHECK(has(refused("kimiyoung", theirs), "n_layer: is missing"));
  theirs = reference_config();
  theirs["d_model"] = "wide";
  CHECK(has(refused("kimiyoung", theirs), "d_model: can't be \"wide\""));
  CHECK(has(refused("huggingface", {{"model_type", "gpt2"}}), "model_type: can't be \"gpt2\""));
  CHECK(has(refused("kimiyoung", Json::array({1})), "is no JSON object"));
  CHECK(has(refused("fairseq", theirs), "2 --format: \"fairseq\""));
  CHECK(has(refused("fairseq", theirs), "kimiyoung, nvidia, huggingface"));
}

TEST_CASE("lengths that a config lacks are asked for", "[foreign]") {
  for (const std::string format : {"kimiyoung", "nvidia"}) {
    for (const std::string key : {"mem_len", "tgt_len"}) {
      INFO(format << " " << key);
      Json theirs = reference_config();
      theirs.erase(key);
      CHECK(has(refused(format, theirs),
                "config.json, " + key + ": is missing; add \"" + key + "\": N"));
    }
  }
  Json theirs{{"same_length", true}, {"tgt_len", nullptr}};
  CHECK(
      has(refused("huggingface", theirs), "config.json, mem_len: is missing; add \"mem_len\": N"));
  theirs["mem_len"] = 7;
  CHECK(settings_of("huggingface", theirs).absent_segment.empty());  // no loss depends on it
  theirs["same_length"] = false;
  const lc::ForeignSettings unsaid = settings_of("huggingface", theirs);
  CHECK(unsaid.absent_segment == "tgt_len");
  CHECK(!unsaid.sections.contains("train"));
  theirs["tgt_len"] = 5;
  const lc::ForeignSettings said = settings_of("huggingface", theirs);
  CHECK(said.absent_segment.empty());
  CHECK(said.sections.at("train").at("segment_length") == 5);
  CHECK(has(refused_with("kimiyoung", "tgt_len", 0), "can't be 0"));
  theirs["mem_len"] = 0;
  theirs["same_length"] = true;
  CHECK(has(refused("huggingface", theirs), "config.json, same_length: can't be true"));
}

TEST_CASE("an extended context is refused", "[foreign]") {
  for (const std::string format : {"kimiyoung", "nvidia", "huggingface"}) {
    INFO(format);
    CHECK(refused_with(format, "ext_len", 0).empty());
    CHECK(refused_with(format, "ext_len", nullptr).empty());
    CHECK(has(refused_with(format, "ext_len", 5), "ext_len: can't be 5; only models without"));
  }
}

TEST_CASE("numbers that no model has are refused by the file's name", "[foreign]") {
  for (const std::string format : {"kimiyoung", "nvidia", "huggingface"}) {
    INFO(format);
    CHECK(refused_with(format, "d_embed", -1).empty());
    for (const std::string key :
         {"vocab_size", "n_layer", "n_head", "d_model", "d_head", "d_inner", "div_val"}) {
      INFO(key);
      CHECK(has(refused_with(format, key, 0), "can't be 0; give a whole number from 1 to "));
      CHECK(has(refused_with(format, key, -5), "can't be -5; "));
      CHECK(has(refused_with(format, key, int64_t{1} << 40), "can't be 1099511627776; "));
      CHECK(has(refused_with(format, key, ~uint64_t{0}), "can't be 18446744073709551615; "));
      CHECK(has(refused_with(format, key, 2.5), "can't be 2.5; "));
    }
    CHECK(has(refused_with(format, "mem_len", -1), "from 0 to "));
    CHECK(has(refused_with(format, "d_embed", 0), "can't be 0; "));
    CHECK(has(refused_with(format, "clamp_len", ~uint64_t{0}), "from -1 to "));
    CHECK(has(refused_with(format, "cutoffs", {18, 10}), "can't be [18,10]; give token ids"));
    CHECK(has(refused_with(format, "cutoffs", {10, 30}), "inside the vocabulary of 30"));
    CHECK(has(refused_with(format, "cutoffs", {-1, 10}), "can't be [-1,10]; "));
    CHECK(has(refused_with(format, "tie_projs", {false, true, true, true}), "each of 3 bins"));
    CHECK(has(refused_with(format, "div_val", 4), "the last of 3 bins a width of d_embed 8"));
  }
}

TEST_CASE("kimiyoung's cutoffs follow from adaptive and dataset", "[foreign]") {
  const auto adaptive = [](const std::string& dataset, int64_t tokens, const Json& more) {
    Json theirs = reference_config();
    theirs.update({{"adaptive", true}, {"dataset", dataset}, {"n_token", tokens}});
    theirs.update(more);
    return theirs;
  };
  const Json none = Json::object();
  lc::Config config = config_of("kimiyoung", adaptive("wt103", 267735, none));
  CHECK(config.at("model.adaptive.cutoffs") == Json{20000, 40000, 200000});
  CHECK(config.at("model.adaptive.tie_projections") == Json{false, true, true, true});
  config = config_of("kimiyoung", adaptive("lm1b", 793470, none));
  CHECK(config.at("model.adaptive.cutoffs") == Json{60000, 100000, 640000});
  CHECK(config.at("model.adaptive.tie_projections") == Json{false, false, false, false});
  config = config_of("kimiyoung", adaptive("wt103", 267735, {{"adaptive", false}}));
  CHECK(config.at("model.adaptive.cutoffs") == Json::array());
  config = config_of("kimiyoung", adaptive("wt103", kTokens, {{"cutoffs", {10, 18}}}));
  CHECK(config.at("model.adaptive.cutoffs") == Json{10, 18});
  CHECK(config.at("model.adaptive.tie_projections") == Json{false, true, true});

  const std::string unknown = refused("kimiyoung", adaptive("enwik8", 204, none));
  CHECK(has(unknown, "3 "));
  CHECK(has(unknown, "config.json, cutoffs: is missing; add \"cutoffs\" and \"tie_projs\""));
  const std::string untold =
      refused("kimiyoung", adaptive("enwik8", kTokens, {{"cutoffs", {10, 18}}}));
  CHECK(has(untold, "config.json, tie_projs: is missing; add \"tie_projs\""));
}

TEST_CASE("an exported folder is a Hugging Face checkpoint of the same model", "[foreign]") {
  const lc::TemporaryFolder folder;
  Json theirs = adaptive_config();
  theirs["same_length"] = true;
  const lc::Config config = config_of("nvidia", theirs);  // 7 keys and itself
  const lc::NamedTensors ours = parameters_of(config);
  lc::write_foreign_checkpoint("huggingface", config, ours, folder.path());
  const Json written = Json::parse(lc::read_file(folder.path() / "config.json"));
  CHECK(written.at("mem_len") == 8);
  CHECK(written.at("tgt_len") == 5);
  CHECK(written.at("same_length") == true);
  CHECK(written.at("torch_dtype") == "float32");
  CHECK(lc::read_safetensors(folder.path() / "model.safetensors").metadata.at("format") == "pt");

  const auto settings = lc::read_foreign_config("huggingface", folder.path() / "config.json");
  CHECK(settings.vocab_size == kTokens);
  CHECK(settings.sections.at("train").at("segment_length") == 5);
  const lc::Config back = read_model(settings.sections);
  CHECK(back.at("model.adaptive.cluster_order") == "ascending");
  CHECK(back.at("model.transformer_xl.memory_length") == 8);
  lc::NamedTensors turned = ours;
  for (auto& [name, tensor] : turned) {
    if (name.starts_with("output.cluster.")) tensor = tensor.flip(0);
  }
  check_equal(
      lc::read_foreign_weights("huggingface", back, kTokens, folder.path() / "model.safetensors"),
      turned);
}

TEST_CASE("models that a format can't say are not exported", "[foreign]") {
  const auto refused = [](const Json& model) -> std::string {
    const lc::TemporaryFolder folder;
    const lc::Config config = read_model({{"model", model}});
    try {
      lc::write_foreign_checkpoint("huggingface", config, parameters_of(config), folder.path());
    } catch (const lc::Error& error) {
      CHECK(error.kind() == lc::ErrorKind::kUsage);
      return error.what();
    }
    return "";
  };
  Json model{{"type", "transformer_xl"}, {"layers", 1}, {"d_model", 8}, {"heads", 2}};
  CHECK(refused(model).empty());
  model["final_norm"] = true;
  CHECK(has(refused(model), "model.final_norm: true has no counterpart"));
  model["final_norm"] = false;
  model["positions"] = {{"scheme", "rotary"}};
  CHECK(has(refused(model), "model.positions.scheme: \"rotary\" has no counterpart"));
  model = {{"type", "vanilla"}, {"layers", 1}, {"d_model", 8}, {"heads", 2}};
  CHECK(has(refused(model), "can't be exported"));
}

}  // namespace foreign_test

// Configs of other codes: what they mean, what they are refused for, and what is exported.
#include <tuple>

#include "checkpoint/foreign_fixture.h"

namespace foreign_test {

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
  theirs.update({{"vocab_size", kTokens}, {"not_tied", true}, {"pre_lnorm", true},
                 {"clamp_len", 9}, {"tie_projs", {false, true}}, {"training_memory", 99},
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
  const lc::ForeignSettings settings = settings_of("huggingface", Json::object());
  CHECK(settings.vocab_size == 267735);
  const lc::Config config = read_model(settings.sections);
  CHECK(config.at("model.adaptive.tie_projections") == Json{false, true, true, true});
  CHECK(config.at("model.transformer_xl.attention_span") == "reference");
  CHECK(config.at("model.positions.share_biases") == false);
  // The published model: parameters of the paper's large one, u and v in each layer.
  const auto model = lc::build_model(config, {267735, {at::kFloat, at::kMeta, 1}});
  CHECK(model->parameters().count() == 285'205'322);
  const lc::Config apart =
      config_of("huggingface", {{"proj_share_all_but_first", false}, {"untie_r", false}});
  CHECK(apart.at("model.adaptive.tie_projections") == Json{false, false, false, false});
  CHECK(apart.at("model.positions.share_biases") == true);
}

TEST_CASE("what can't be imported is refused in one sentence", "[foreign]") {
  const auto refused = [](const std::string& format, const Json& theirs) -> std::string {
    try {
      settings_of(format, theirs);
    } catch (const lc::Error& error) {
      return std::to_string(static_cast<int>(error.kind())) + " " + error.what();
    }
    return "";
  };
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

TEST_CASE("an exported folder is a Hugging Face checkpoint of the same model", "[foreign]") {
  const lc::TemporaryFolder folder;
  Json theirs = adaptive_config();
  theirs["same_length"] = true;
  const lc::Config config = config_of("nvidia", theirs);  // 7 keys and itself
  const lc::NamedTensors ours = parameters_of(config);
  lc::write_foreign_checkpoint("huggingface", config, ours, folder.path());
  const Json written = Json::parse(lc::read_file(folder.path() / "config.json"));
  CHECK(written.at("mem_len") == 8);
  CHECK(written.at("same_length") == true);
  CHECK(written.at("torch_dtype") == "float32");
  CHECK(lc::read_safetensors(folder.path() / "model.safetensors").metadata.at("format") == "pt");

  const auto settings = lc::read_foreign_config("huggingface", folder.path() / "config.json");
  CHECK(settings.vocab_size == kTokens);
  const lc::Config back = read_model(settings.sections);
  CHECK(back.at("model.adaptive.cluster_order") == "ascending");
  CHECK(back.at("model.transformer_xl.memory_length") == 8);
  lc::NamedTensors turned = ours;
  for (auto& [name, tensor] : turned) {
    if (name.starts_with("output.cluster.")) tensor = tensor.flip(0);
  }
  check_equal(lc::read_foreign_weights("huggingface", back, kTokens,
                                       folder.path() / "model.safetensors"),
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

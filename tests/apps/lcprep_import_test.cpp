// Weights out to another code's form and in again, through the programs.
#include <ATen/ATen.h>

#include <filesystem>
#include <string>
#include <vector>

#include "apps/lcprep_process.h"
#include "catch.h"
#include "checkpoint/foreign_fixture.h"

namespace lcprep {
namespace {

// A small model with bins and a word for each token, as that code's config. Every row sees 8 keys.
Json config_in(const std::string& format) {
  Json theirs = foreign_test::adaptive_config();
  theirs.update({{"vocab_size", foreign_test::kTokens}, {"same_length", true}, {"d_embed", 8}});
  theirs["mem_len"] = format == "nvidia" ? 7 : 8;  // itself not counted, counted
  theirs["untie_r"] = false;                       // Hugging Face's name for what the others do
  return theirs;
}

// Weights of which no two rows are alike, biases and norms among them.
lc::NamedTensors uneven_weights(const lc::Config& config) {
  lc::NamedTensors weights = foreign_test::parameters_of(config);
  for (auto& [name, tensor] : weights) {
    const at::Tensor places = at::arange(1, tensor.numel() + 1, at::kDouble).view(tensor.sizes());
    tensor = (tensor.detach() + 0.4 * at::sin(places.square())).to(at::kFloat);
  }
  return weights;
}

// FORMAT.safetensors and FORMAT.json of the same weights for each format, words.txt with a word for
// each token, and text.txt of 200 of them. Gives the number of parameters.
int64_t write_formats(const Workplace& place, const std::vector<std::string>& formats) {
  const lc::Config config = foreign_test::config_of("kimiyoung", config_in("kimiyoung"));
  const lc::NamedTensors weights = uneven_weights(config);
  for (const std::string& format : formats) {
    const auto names = foreign_test::dialect(format).tensors(config, foreign_test::kTokens);
    lc::write_safetensors(place.path() / (format + ".safetensors"), lc::to_foreign(names, weights));
    place.write(format + ".json", config_in(format));
  }
  std::string words = "<eos>\n";
  for (int64_t id = 1; id < foreign_test::kTokens; ++id) words += "w" + std::to_string(id) + "\n";
  lceval::write(place.path() / "words.txt", words);
  std::string text;
  for (int64_t i = 0; i < 175; ++i) {
    text += "w" + std::to_string((i * i + 3 * i) % 29 + 1) + (i % 7 == 6 ? "\n" : " ");
  }
  lceval::write(place.path() / "text.txt", text);
  int64_t parameters = 0;
  for (const auto& [name, tensor] : weights) parameters += tensor.numel();
  return parameters;
}

std::vector<std::string> importing_format(const std::string& format, const std::string& weights) {
  return {"import",         "--format", format,      "--weights", weights,         "--config",
          format + ".json", "--vocab",  "words.txt", "--out",     "runs/" + format};
}

}  // namespace

TEST_CASE("the same weights in each code's form come in as one model, for every program",
          "[lcprep]") {
  const Workplace place;
  const std::vector<std::string> formats = {"kimiyoung", "nvidia", "huggingface"};
  const int64_t parameters = write_formats(place, formats);
  std::vector<double> nats;
  std::vector<Json> token_ids;
  for (const std::string& format : formats) {
    CAPTURE(format);
    const std::string run = "runs/" + format;
    std::vector<std::string> import = importing_format(format, format + ".safetensors");
    // Hugging Face's attends to zero vectors where the others' memory is empty.
    import.insert(import.end(), {"--set", "model.transformer_xl.initial_memory=empty", "--json"});
    const auto imported = run_program(place, "lcprep", import);
    INFO(imported.err);
    REQUIRE(imported.exit_code == 0);
    CHECK(Json::parse(imported.out).at("parameters") == parameters);
    CHECK(Json::parse(imported.out).at("tokenizer").at("type") == "word");

    const std::vector<std::string> exact = {"--checkpoint", run, "--precision", "float64"};
    const auto with = [&exact](std::vector<std::string> more) {
      more.insert(more.end(), exact.begin(), exact.end());
      return more;
    };
    const Json scored = lceval::json_of(place, with({"--data", "text.txt"}));
    CHECK(scored.at("tokens_scored") == 199);
    CHECK(scored.at("protocol").at("memory") == (format == "nvidia" ? 7 : 8));
    CHECK(scored.at("protocol").at("span") == (format == "nvidia" ? "fixed" : "reference"));
    nats.push_back(scored.at("nats_per_token").get<double>());
    // One key less, and the loss is another.
    const Json less = lceval::json_of(
        place, with({"--data", "text.txt", "--memory", format == "nvidia" ? "6" : "7"}));
    CHECK(less.at("nats_per_token").get<double>() != Approx(nats.back()).epsilon(1e-8));

    const auto generated = run_program(
        place, "lcgen", with({"--prompt", "w1 w2 w3", "--tokens", "12", "--seed", "3", "--json"}));
    INFO(generated.err);
    REQUIRE(generated.exit_code == 0);
    token_ids.push_back(Json::parse(generated.out).at("token_ids"));

    const auto begun = run_program(
        place, "lctrain",
        {"--config", run + "/config.json", "--set", "run.out_dir=runs/tuned", "--set",
         "run.device=cpu", "--set", "data.train=text.txt", "--set", "data.valid=text.txt", "--set",
         "train.steps=3", "--set", "train.lanes=2", "--init-from", run, "--dry-run"});
    INFO(begun.err);
    CHECK(begun.exit_code == 0);
    CHECK(has(begun.err, "beginning with the weights of " + run));
    CHECK(has(begun.out, " " + std::to_string(parameters) + "\n"));
  }
  CHECK(nats[1] == Approx(nats[0]).epsilon(1e-10));
  CHECK(nats[2] == Approx(nats[0]).epsilon(1e-10));
  CHECK(token_ids[0].size() == 12);
  CHECK(token_ids[1] == token_ids[0]);
  CHECK(token_ids[2] == token_ids[0]);
}

TEST_CASE("weights in another code's form than --format says are refused", "[lcprep]") {
  const Workplace place;
  write_formats(place, {"kimiyoung", "nvidia"});
  const std::string nvidia_s =
      refusal_of(place, importing_format("kimiyoung", "nvidia.safetensors"));
  CHECK(has(nvidia_s, "3 lcprep: nvidia.safetensors: the weights don't fit the config: "));
  CHECK(has(nvidia_s, "missing crit.out_layers.0.bias"));
  CHECK(has(nvidia_s, "unknown crit.out_layers_biases.0"));
  const std::string kimiyoung_s =
      refusal_of(place, importing_format("nvidia", "kimiyoung.safetensors"));
  CHECK(has(kimiyoung_s, "3 lcprep: kimiyoung.safetensors: the weights don't fit the config: "));
  CHECK(has(kimiyoung_s, "unknown crit.out_layers.0.weight"));
  CHECK(!fs::exists(place.run("kimiyoung")));
  CHECK(!fs::exists(place.run("nvidia")));
}

TEST_CASE("an exported run comes in again as the same model, for every program", "[lcprep]") {
  const Workplace place;
  export_run(place);
  const auto result =
      run_program(place, "lcprep", importing({"--vocab", "bytes.txt", "--out", "runs/back"}));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(has(result.out, "vocab_size       256"));
  CHECK(has(result.out, "model            transformer_xl"));

  CHECK(!has(result.err, "segment length"));  // config.json has it

  const auto evaluated = [&](const std::string& run, std::vector<std::string> more) {
    more.insert(more.end(), {"--checkpoint", run, "--data", "valid.txt"});
    return lceval::json_of(place, more);
  };
  const Json original =
      evaluated("runs/xl", {"--set", "model.transformer_xl.initial_memory=zeros"});
  const Json back = evaluated("runs/back", {});
  CHECK(back.at("nats_per_token") == original.at("nats_per_token"));
  CHECK(back.at("bits_per_byte") == original.at("bits_per_byte"));
  CHECK(back.at("protocol").at("memory") == 24);

  const auto generated = run_program(
      place, "lcgen", {"--checkpoint", "runs/back", "--prompt", "the river", "--tokens", "5"});
  INFO(generated.err);
  CHECK(generated.exit_code == 0);

  // A training begins with them.
  Json config = place.config("tuned");
  config["train"]["steps"] = 2;
  const auto tuned = lctrain::run(place, {"--config", place.write("tuned.json", config).string(),
                                          "--init-from", place.run("back").string()});
  INFO(tuned.err);
  CHECK(tuned.exit_code == 0);
  CHECK(has(tuned.err, "beginning with the weights of"));
}

TEST_CASE("an import with a text takes its tokenizer and can score its splits", "[lcprep]") {
  const Workplace place;
  export_run(place);
  const std::string train = "data.train=" + (place.path() / "train.txt").string();
  const std::string valid = "data.valid=" + (place.path() / "valid.txt").string();
  const auto result = run_program(place, "lcprep",
                                  importing({"--out", "runs/own", "--set", train, "--set", valid,
                                             "--set", "train.steps=3", "--json"}));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const Json told = Json::parse(result.out);
  CHECK(told.at("tokenizer").at("type") == "byte");
  CHECK(told.at("format") == "huggingface");
  const Json own = lceval::json_of(place, {"--checkpoint", "runs/own"});
  const Json original = lceval::json_of(
      place, {"--checkpoint", "runs/xl", "--set", "model.transformer_xl.initial_memory=zeros"});
  CHECK(own.at("nats_per_token") == original.at("nats_per_token"));
  CHECK(own.at("protocol").at("split") == "valid");

  // No training stands behind it that could go on.
  const fs::path run = place.run("own");
  const auto resumed =
      lctrain::run(place, {"--config", (run / "config.json").string(), "--out", run.string()});
  CHECK(resumed.exit_code == 2);
  CHECK(has(resumed.err, "holds imported weights, no training to go on with"));
}

TEST_CASE("imports and exports that don't fit are refused in one sentence", "[lcprep]") {
  const Workplace place;
  export_run(place);
  const std::vector<std::string> vocabulary{"--vocab", "bytes.txt"};
  CHECK(has(refusal_of(place, importing({"--out", "runs/xl"})), "2 lcprep: runs/xl: the folder"));
  lceval::write(place.path() / "short.txt", "1\n2\n");
  const std::string size = refusal_of(place, importing({"--vocab", "short.txt", "--out", "new"}));
  CHECK(has(size, "3 lcprep: short.txt: has 2 tokens, and the weights are for 256"));
  lceval::write(place.path() / "words.txt", "a\nb\n");
  CHECK(has(refusal_of(place, importing({"--vocab", "words.txt", "--out", "new"})), "words.txt"));
  CHECK(has(refusal_of(place, importing({"--vocab", "absent.txt", "--out", "new"})), "3 lcprep: "));

  Json config = Json::parse(lctrain::bytes(place.path() / "exported/config.json"));
  config["n_layer"] = 3;
  lceval::write(place.path() / "deep.json", config.dump());
  const std::string deep =
      refusal_of(place, {"import", "--format", "huggingface", "--weights",
                         "exported/model.safetensors", "--config", "deep.json", "--out", "new"});
  CHECK(has(deep, "3 lcprep: exported/model.safetensors: "));
  CHECK(has(deep, "missing transformer.layers.2.dec_attn.qkv_net.weight"));
  config.erase("mem_len");
  lceval::write(place.path() / "short.json", config.dump());
  CHECK(has(
      refusal_of(place, {"import", "--format", "huggingface", "--weights",
                         "exported/model.safetensors", "--config", "short.json", "--out", "new"}),
      "3 lcprep: short.json, mem_len: is missing"));
  CHECK(has(refusal_of(place, {"import", "--format", "fairseq", "--weights", "w", "--config",
                               "exported/config.json", "--out", "new"}),
            "2 lcprep: --format: "));
  CHECK(!fs::exists(place.path() / "new"));

  CHECK(has(refusal_of(place, {"export", "--format", "huggingface", "--checkpoint", "runs/xl",
                               "--out", "exported"}),
            "2 lcprep: exported: "));
  CHECK(has(refusal_of(place, {"export", "--format", "huggingface", "--checkpoint", "runs/none",
                               "--out", "new"}),
            "3 lcprep: "));
  CHECK(has(refusal_of(place,
                       {"export", "--format", "nvidia", "--checkpoint", "runs/xl", "--out", "new"}),
            "2 lcprep: --format: "));
  // Without a vocabulary it comes in with a warning, for --init-from alone.
  const auto bare = run_program(place, "lcprep", importing({"--out", "runs/bare"}));
  CHECK(bare.exit_code == 0);
  CHECK(has(bare.err, "no vocabulary is known"));
}

TEST_CASE("an import whose config doesn't tell the segment length says which is taken",
          "[lcprep]") {
  const Workplace place;
  export_run(place);
  Json config = Json::parse(lctrain::bytes(place.path() / "exported/config.json"));
  CHECK(config.at("tgt_len") == 16);
  config.erase("tgt_len");
  lceval::write(place.path() / "unsaid.json", config.dump());
  const auto imported = [&](const std::string& run, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "import",   "--format",    "huggingface", "--weights", "exported/model.safetensors",
        "--config", "unsaid.json", "--out",       run};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = run_program(place, "lcprep", arguments);
    CHECK(result.exit_code == 0);
    return result.err;
  };
  CHECK(has(imported("runs/guessed", {}),
            "unsaid.json has no tgt_len, so the segment length, on which losses depend, isn't "
            "known: 128 is taken; give another with --set train.segment_length=N"));
  CHECK(!has(imported("runs/told", {"--set", "train.segment_length=16"}), "segment length"));
}

}  // namespace lcprep

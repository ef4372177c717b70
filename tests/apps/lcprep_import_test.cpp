// Weights out to another code's form and in again, through the programs.
#include <filesystem>
#include <string>

#include "apps/lceval_process.h"
#include "catch.h"

namespace {

using lceval::Json;
using lceval::run_program;
using lceval::Workplace;
namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A trained run in runs/xl, exported to the folder exported, and a list of the bytes.
void export_run(const Workplace& place) {
  Json config = place.config("xl");
  config["train"]["steps"] = 12;
  lceval::train(place, "xl", config);
  const auto result = run_program(place, "lcprep",
                                  {"export", "--format", "huggingface", "--checkpoint", "runs/xl",
                                   "--out", "exported", "--json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(Json::parse(result.out).at("folder") == "exported");
  CHECK(has(result.err, "attends to zero vectors"));
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += std::to_string(byte) + "\n";
  lceval::write(place.path() / "bytes.txt", bytes);
}

std::vector<std::string> importing(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"import",
                                     "--format",
                                     "huggingface",
                                     "--weights",
                                     "exported/model.safetensors",
                                     "--config",
                                     "exported/config.json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// Exit code and message.
std::string refusal_of(const Workplace& place, const std::vector<std::string>& arguments) {
  const auto result = run_program(place, "lcprep", arguments);
  CHECK(result.out.empty());
  const size_t begin = result.err.find("lcprep: ");
  const std::string message = begin == std::string::npos ? "" : result.err.substr(begin);
  CHECK(message.find('\n') == message.size() - 1);
  return std::to_string(result.exit_code) + " " + message;
}

}  // namespace

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

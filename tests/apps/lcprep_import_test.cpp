// Weights out to another code's form and in again, through the programs.
#include <ATen/ATen.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "apps/lceval_process.h"
#include "catch.h"
#include "checkpoint/foreign_fixture.h"

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
  CHECK(Json::parse(result.out).at("vocabulary") == "vocab.txt");
  CHECK(has(result.err, "attends to zero vectors"));
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += std::to_string(byte) + "\n";
  lceval::write(place.path() / "bytes.txt", bytes);
  CHECK(lctrain::bytes(place.path() / "exported/vocab.txt") == bytes);
}

// Trains a run with that tokenizer, exports it to the folder exported and imports that as
// runs/back. Both have the same tokenizer and the same losses.
void check_round_trip(const Workplace& place, const Json& tokenizer, const std::string& vocabulary,
                      const std::vector<std::string>& settings) {
  Json config = place.config("own");
  config["data"]["tokenizer"] = tokenizer;
  config["train"]["steps"] = 12;
  lceval::train(place, "own", config);
  const auto exported = run_program(place, "lcprep",
                                    {"export", "--format", "huggingface", "--checkpoint",
                                     "runs/own", "--out", "exported", "--json"});
  INFO(exported.err);
  REQUIRE(exported.exit_code == 0);
  CHECK(Json::parse(exported.out).at("vocabulary") == vocabulary);
  std::vector<std::string> arguments{"import",
                                     "--format",
                                     "huggingface",
                                     "--weights",
                                     "exported/model.safetensors",
                                     "--config",
                                     "exported/config.json",
                                     "--vocab",
                                     "exported/" + vocabulary,
                                     "--out",
                                     "runs/back"};
  arguments.insert(arguments.end(), settings.begin(), settings.end());
  const auto imported = run_program(place, "lcprep", arguments);
  INFO(imported.err);
  REQUIRE(imported.exit_code == 0);
  const auto tokenizer_of = [&](const std::string& run) {
    return lctrain::bytes(place.run(run) / "tokenizer.lctokenizer");
  };
  CHECK(tokenizer_of("back") == tokenizer_of("own"));
  const auto loss = [&](const std::string& run) {
    return lceval::json_of(place, {run, "--data", "valid.txt", "--set",
                                   "model.transformer_xl.initial_memory=zeros"})
        .at("nats_per_token");
  };
  CHECK(loss("runs/back") == loss("runs/own"));
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

TEST_CASE(
    "an exported vocabulary of words comes in again with every id, <eos> and <unk> among them",
    "[lcprep]") {
  const Workplace place;
  check_round_trip(place, {{"type", "word"}, {"unknown", "unk"}}, "vocab.txt",
                   {"--set", "data.tokenizer.unknown=unk"});
  std::istringstream list(lctrain::bytes(place.path() / "exported/vocab.txt"));
  std::vector<std::string> words;
  for (std::string word; std::getline(list, word);) words.push_back(word);
  const auto tried = run_program(place, "lcprep",
                                 {"tokenizer", "--config", "runs/back/config.json", "--set",
                                  "data.path=valid.txt", "--encode", "river nowhere\n", "--json"});
  INFO(tried.err);
  REQUIRE(tried.exit_code == 0);
  const Json ids = Json::parse(tried.out).at("ids");
  REQUIRE(ids.size() == 3);
  CHECK(words.at(ids[0].get<size_t>()) == "river");
  CHECK(words.at(ids[1].get<size_t>()) == "<unk>");
  CHECK(words.at(ids[2].get<size_t>()) == "<eos>");
}

TEST_CASE("an exported SentencePiece model comes in again, and stays the run's with a text",
          "[lcprep]") {
  const Workplace place;
  check_round_trip(place, {{"type", "sentencepiece"}, {"vocab_size", 300}}, "tokenizer.model", {});
  const auto with_text =
      run_program(place, "lcprep",
                  importing({"--vocab", "exported/tokenizer.model", "--out", "runs/text", "--set",
                             "data.valid=valid.txt", "--set", "data.train=train.txt"}));
  INFO(with_text.err);
  REQUIRE(with_text.exit_code == 0);
  CHECK(lceval::json_of(place, {"runs/text"}).at("protocol").at("split") == "valid");

  lceval::write(place.path() / "no.model", "<eos>\na\n");
  CHECK(has(refusal_of(place, importing({"--vocab", "no.model", "--out", "new"})),
            "3 lcprep: no.model: is no SentencePiece model, or damaged"));
}

TEST_CASE("an export says where a run has no vocabulary, and refuses one of another training",
          "[lcprep]") {
  const Workplace place;
  export_run(place);
  REQUIRE(run_program(place, "lcprep", importing({"--out", "runs/bare"})).exit_code == 0);
  const std::vector<std::string> exporting = {"export",       "--format",  "huggingface",
                                              "--checkpoint", "runs/bare", "--out"};
  const auto to = [&](const std::string& folder) {
    std::vector<std::string> arguments = exporting;
    arguments.insert(arguments.end(), {folder, "--json"});
    return arguments;
  };
  const auto bare = run_program(place, "lcprep", to("bare"));
  INFO(bare.err);
  REQUIRE(bare.exit_code == 0);
  CHECK(Json::parse(bare.out).at("vocabulary").is_null());
  CHECK(!fs::exists(place.path() / "bare/vocab.txt"));

  const fs::path tokenizer = place.run("xl") / "tokenizer.lctokenizer";
  lceval::write(tokenizer, "{\"by_frequency\":true,\"lctokenizer\":1,\"type\":\"byte\"}\nab");
  CHECK(has(refusal_of(place, {"export", "--format", "huggingface", "--checkpoint", "runs/xl",
                               "--out", "other"}),
            "the checkpoint was trained with tokenizer"));
  CHECK(!fs::exists(place.path() / "other"));
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

// Vocabularies out to another code's form and in again, through the programs.
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "apps/lcprep_process.h"
#include "catch.h"

namespace lcprep {
namespace {

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
  std::vector<std::string> arguments{"--vocab", "exported/" + vocabulary, "--out", "runs/back"};
  arguments.insert(arguments.end(), settings.begin(), settings.end());
  const auto imported = run_program(place, "lcprep", lcprep::importing(arguments));
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

}  // namespace

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

}  // namespace lcprep

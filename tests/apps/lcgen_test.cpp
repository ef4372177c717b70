// lcgen as users start it: prompts, streams, seeds, bad input.
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "apps/lctrain_process.h"
#include "catch.h"
#include "core/file_io.h"
#include "core/rng.h"

namespace {

using lctrain::Json;
using lctrain::Result;
using lctrain::Workplace;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string trained(const Workplace& place, const std::string& name, Json config) {
  config["train"]["steps"] = 30;
  config["eval"]["every"] = 0;
  const Result result =
      lctrain::run(place, {"--config", place.write(name + ".json", config).string()});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return place.run(name).string();
}

std::string ascii(std::string text) {
  std::erase_if(text, [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; });
  return text;
}

// Whole words only: every word of the valid text is in the train text.
Json words_config(const Workplace& place) {
  const std::vector<std::string> words{"the", "river", "runs", "under", "a", "stone", "bridge"};
  std::string text;
  for (size_t i = 0; i < 3000; ++i) {
    text += words[lc::hash_bits(i) % words.size()] + (i % 9 == 8 ? "\n" : " ");
  }
  for (const char* name : {"train_words.txt", "valid_words.txt"}) {
    lc::write_file_atomically(place.path() / name, text);
  }
  Json config = place.config("words");
  config["data"]["train"] = (place.path() / "train_words.txt").string();
  config["data"]["valid"] = (place.path() / "valid_words.txt").string();
  config["data"]["tokenizer"] = {{"type", "word"}};
  return config;
}

std::string trained_xl(const Workplace& place) { return trained(place, "xl", place.config("xl")); }

// shell: arguments and redirections, as typed in the workplace's folder.
Result lcgen(const Workplace& place, const std::string& run, const std::string& shell) {
  static std::atomic<int> number{0};
  const std::string base = (place.path() / ("lcgen" + std::to_string(number++))).string();
  const std::string command = "cd " + place.path().string() +
                              " && { " LC_BIN_DIR "/lcgen --checkpoint " + run + " " + shell +
                              "; } >" + base + ".out 2>" + base + ".err";
  const int status = std::system(command.c_str());
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .out = lctrain::bytes(base + ".out"),
          .err = lctrain::bytes(base + ".err")};
}

std::string text_of(const Workplace& place, const std::string& run, const std::string& shell) {
  const Result result = lcgen(place, run, shell);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return result.out;
}

// One sentence on stderr, nothing on stdout, that exit code.
std::string refusal(const Workplace& place, int exit_code, const std::string& run,
                    const std::string& shell) {
  const Result result = lcgen(place, run, shell);
  INFO(result.err);
  CHECK(result.exit_code == exit_code);
  CHECK(result.out.empty());
  const size_t begin = result.err.find("lcgen: ");
  REQUIRE(begin != std::string::npos);
  const std::string message = result.err.substr(begin);
  CHECK(std::count(message.begin(), message.end(), '\n') == 1);
  return message;
}

}  // namespace

TEST_CASE("the same seed writes the same bytes, another one other bytes", "[lcgen]") {
  const Workplace place;
  const std::string run = trained_xl(place);
  const std::string shell = "--prompt 'the river' --tokens 80 --seed ";
  const std::string text = text_of(place, run, shell + "5");
  CHECK(text.size() == 80);  // a byte is a token
  CHECK(text_of(place, run, shell + "5") == text);
  CHECK(text_of(place, run, shell + "5 --threads 1 --device cpu --quiet") == text);
  CHECK(text_of(place, run, shell + "6") != text);
  CHECK(text_of(place, run, shell + "5 --echo") == "the river" + text);

  SECTION("a text that is given back goes on as it would have") {
    lc::write_file_atomically(place.path() / "begun.txt", "the river" + text.substr(0, 30));
    CHECK(text_of(place, run, "--prompt-file begun.txt --tokens 50 --seed 5") == text.substr(30));
  }
  SECTION("at temperature 0, and with one candidate, the seed doesn't matter") {
    const std::string greedy = "--prompt 'the river' --tokens 80 --temperature 0";
    const std::string certain = text_of(place, run, greedy + " --seed 1");
    CHECK(text_of(place, run, greedy + " --seed 2") == certain);
    CHECK(text_of(place, run, "--prompt 'the river' --tokens 80 --top-k 1 --seed 3") == certain);
    CHECK(text_of(place, run, "--prompt 'the river' --tokens 80 --top-p 1e-9") == certain);
  }
  SECTION("runtime values are taken, and change what is written") {
    const std::string other = text_of(place, run, shell + "5 --memory 0 --segment 4");
    CHECK(other.size() == 80);
    CHECK(other != text);
  }
}

TEST_CASE("the prompt comes from flag, file or stdin", "[lcgen]") {
  const Workplace place;
  const std::string run = trained_xl(place);
  lc::write_file_atomically(place.path() / "begin.txt", "under a stone");
  const std::string text = text_of(place, run, "--tokens 40 --prompt 'under a stone'");
  CHECK(text_of(place, run, "--tokens 40 --prompt-file begin.txt") == text);
  CHECK(text_of(place, run, "--tokens 40 <begin.txt") == text);
  CHECK(text_of(place, run, "--tokens 40 --prompt-file - <begin.txt") == text);
  CHECK(text_of(place, run, "--tokens 40 --prompt-file /dev/fd/3 3<begin.txt") == text);

  const std::string unprompted = text_of(place, run, "--tokens 40 --prompt ''");
  CHECK(text_of(place, run, "--tokens 40 </dev/null") == unprompted);
  CHECK(text_of(place, run, "--tokens 40 --prompt '\n'") == unprompted);
  for (const std::string prompt : {"[a, b]", "a b  c", "x=y", "{\"a\": 1}", "50%"}) {
    const Json object =
        Json::parse(text_of(place, run, "--tokens 4 --json --prompt '" + prompt + "'"));
    CHECK(object.at("prompt") == prompt);
    CHECK(object.at("prompt_tokens") == prompt.size());
  }
}

TEST_CASE("flag --json gives one object with prompt, text and tokens", "[lcgen]") {
  const Workplace place;
  const std::string run = trained_xl(place);
  const std::string shell = "--prompt 'the river' --tokens 60 --temperature 1.3 --seed 9";
  const std::string out = text_of(place, run, shell + " --json");
  CHECK(std::count(out.begin(), out.end(), '\n') == 1);
  const Json object = Json::parse(out);
  CHECK(object.at("prompt") == "the river");
  CHECK(object.at("prompt_tokens") == 9);
  CHECK(object.at("tokens") == 60);
  CHECK(object.at("token_ids").size() == 60);
  std::string bytes;
  for (const Json& id : object.at("token_ids")) bytes += static_cast<char>(id.get<int>());
  CHECK(text_of(place, run, shell) == bytes);
  const Json& settings = object.at("settings");
  CHECK(settings.at("temperature") == 1.3);
  CHECK(settings.at("seed") == 9);
  CHECK(settings.at("segment") == 16);
  CHECK(settings.at("memory") == 24);
  CHECK(settings.at("step") == 30);
}

TEST_CASE("words and pieces are written as they read", "[lcgen]") {
  const Workplace place;
  const std::string words = trained(place, "words", words_config(place));
  const std::string text = text_of(place, words, "--prompt 'the river' --tokens 40");
  CHECK(has(text, "the "));
  CHECK(text_of(place, words, "--prompt ' ' --tokens 40") ==
        text_of(place, words, "--prompt '\n' --tokens 40"));

  const std::string unknown = refusal(place, 3, words, "--prompt 'the zebra'");
  CHECK(has(unknown, "--prompt, line 1"));
  CHECK(has(unknown, "zebra"));
  lc::write_file_atomically(place.path() / "latin1.txt", "the caf\xE9 runs");
  const std::string latin1 = refusal(place, 3, words, "--prompt-file latin1.txt");
  CHECK(has(latin1, "latin1.txt: is not UTF-8 at byte 7"));

  Json config = place.config("pieces");
  config["data"]["tokenizer"] = {{"type", "sentencepiece"}, {"vocab_size", 300}};
  const std::string pieces = trained(place, "pieces", config);
  const std::string shell = "--prompt 'the river' --tokens 40 --temperature 1.5";
  // Byte pieces may make no character: JSON shows those as U+FFFD.
  const Json object = Json::parse(text_of(place, pieces, shell + " --json"));
  CHECK(object.at("tokens") == 40);
  const std::string written = ascii(text_of(place, pieces, shell));
  CHECK_FALSE(written.empty());
  CHECK(ascii(object.at("text").get<std::string>()) == written);
}

TEST_CASE("a model without memory writes past its window", "[lcgen]") {
  const Workplace place;
  Json config = place.config("vanilla");
  config["model"]["type"] = "vanilla";
  config["model"].erase("transformer_xl");
  config["model"]["positions"]["scheme"] = "sinusoidal";
  const std::string run = trained(place, "vanilla", config);
  CHECK(text_of(place, run, "--prompt 'the river runs under a' --tokens 70").size() == 70);
  const std::string refused = refusal(place, 2, run, "--prompt a --memory 5");
  CHECK(has(refused, "memory"));
  CHECK(has(refused, "vanilla"));
}

TEST_CASE("faults end in one sentence and the documented code", "[lcgen]") {
  const Workplace place;
  const std::string run = trained_xl(place);
  CHECK(has(refusal(place, 2, run, "--prompt a --top-p 0"), "--top-p"));
  CHECK(has(refusal(place, 2, run, "--prompt a --top-p 1.5"), "--top-p: value 1.5"));
  CHECK(has(refusal(place, 2, run, "--prompt a --temperature=-1"), "--temperature"));
  CHECK(has(refusal(place, 2, run, "--prompt a --temperature warm"), "--temperature"));
  CHECK(has(refusal(place, 2, run, "--prompt a --top-k=-3"), "--top-k"));
  CHECK(has(refusal(place, 2, run, "--prompt a --tokens=-3"), "--tokens: -3 is too small"));
  CHECK(has(refusal(place, 2, run, "--prompt a --seed -1"), "--seed: -1 is too small"));
  CHECK(has(refusal(place, 2, run, "--prompt-file ''"), "--prompt-file: is empty; give a path"));
  CHECK(has(refusal(place, 2, "''", "--prompt a"), "--checkpoint: is empty; give a path"));
  CHECK(has(refusal(place, 2, run, "--prompt a --segment 0"), "--segment"));
  CHECK(has(refusal(place, 2, run, "--prompt a --span sideways"), "--span: \"sideways\""));
  CHECK(has(refusal(place, 2, run, "--prompt a --prompt-file b"), "--prompt"));
  CHECK(has(refusal(place, 2, run, "--prompt a --device abacus"), "abacus"));

  lc::write_file_atomically(place.path() / "empty.txt", "");
  CHECK(has(refusal(place, 3, run, "--prompt-file empty.txt"), "empty.txt: the prompt is empty"));
  CHECK(has(refusal(place, 3, run, "--prompt-file - </dev/null"), "stdin: the prompt is empty"));
  CHECK(has(refusal(place, 3, run, "--prompt-file nowhere.txt"), "nowhere.txt"));
  CHECK(has(refusal(place, 3, run, "--prompt-file runs"), "runs"));
  CHECK(has(refusal(place, 3, "runs/none", "--prompt a"), "runs/none"));
  CHECK(has(refusal(place, 3, "runs", "--prompt a"), "runs"));
  CHECK(has(refusal(place, 1, run, "--prompt a --tokens 40 >/dev/full"), "stdout"));

  const auto weights = place.run("xl") / "checkpoints" / "step_000030" / "model.safetensors";
  lctrain::fs::resize_file(weights, 1000);
  CHECK(has(refusal(place, 3, run, "--prompt a"), "model.safetensors"));
}

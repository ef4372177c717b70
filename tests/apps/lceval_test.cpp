// lceval on runs that lctrain has just trained: what it prints, writes and compares.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>

#include "apps/lceval_process.h"
#include "catch.h"

namespace lceval {
namespace {

std::set<std::string> keys_of(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

double nats(const Json& json) { return json.at("nats_per_token").get<double>(); }

}  // namespace

TEST_CASE("lceval prints what it measured, as JSON and as a table, and writes report files") {
  const Workplace place;
  train_xl(place);
  const Json json = json_of(place, {"--checkpoint", "runs/xl"});
  CHECK(keys_of(json) == std::set<std::string>{"nats_per_token", "perplexity", "bits_per_token",
                                               "bits_per_byte", "bits_per_character",
                                               "word_perplexity", "tokens_total", "tokens_scored",
                                               "tokens_skipped", "protocol"});
  // valid.txt has 3,000 bytes, and every byte but the first is predicted.
  CHECK(json["tokens_total"] == 3000);
  CHECK(json["tokens_scored"] == 2999);
  CHECK(json["tokens_skipped"] == 1);
  CHECK(json["perplexity"].get<double>() == Approx(std::exp(nats(json))));
  CHECK(json["bits_per_byte"].get<double>() == Approx(nats(json) / std::log(2.0)));
  CHECK(json["protocol"]["split"] == "valid");
  CHECK(json["protocol"]["chosen"] == "best");
  CHECK(json["protocol"]["memory"] == 24);
  const fs::path eval = place.run("xl") / "eval";
  CHECK(Json::parse(lctrain::bytes(eval / "valid.json")) == json);
  CHECK(lctrain::bytes(eval / "valid.csv").rfind("run,step,split,nats_per_token", 0) == 0);

  const lctrain::Result table = run_lceval(place, {"--checkpoint", "runs/xl"});
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("bits per byte") != std::string::npos);
  CHECK(table.out.find("\nprotocol of xl: ") != std::string::npos);
  CHECK(table.out.find("step 40") != std::string::npos);
}

TEST_CASE("lceval flags change what they name, and lanes change nothing") {
  const Workplace place;
  train_xl(place);
  const std::vector<std::string> base = {"--checkpoint", "runs/xl"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return json_of(place, more);
  };
  const Json plain = with({});
  CHECK(nats(with({"--lanes", "1"})) == Approx(nats(plain)).epsilon(1e-5));
  CHECK(nats(with({"--lanes", "7"})) == Approx(nats(plain)).epsilon(1e-5));
  const Json limited = with({"--tokens", "100"});
  CHECK(limited["tokens_scored"] == 100);
  CHECK(limited["tokens_skipped"] == 2900);
  CHECK(limited["protocol"]["tokens_limit"] == 100);
  const Json shorter = with({"--memory", "2", "--span", "fixed"});
  CHECK(shorter["protocol"]["memory"] == 2);
  CHECK(shorter["protocol"]["span"] == "fixed");
  CHECK(nats(shorter) != nats(plain));
  // A fixed span doesn't see segments.
  CHECK(nats(with({"--memory", "8", "--span", "fixed", "--segment", "5"})) ==
        Approx(nats(with({"--memory", "8", "--span", "fixed"}))).epsilon(1e-5));
  CHECK(with({"--split", "train", "--tokens", "50"})["tokens_total"] == 30000);
  CHECK(with({"--set", "data.boundaries=reset"})["protocol"]["boundaries"] == "reset");
  const Json exact = with({"--precision", "float64"});
  CHECK(nats(exact) == Approx(nats(plain)).epsilon(1e-4));
  // No distance is beyond 1,000 here, but most are beyond 1.
  CHECK(exact["protocol"]["clamp"].is_null());
  const Json unreached = with({"--precision", "float64", "--clamp", "1000"});
  CHECK(unreached["protocol"]["clamp"] == 1000);
  CHECK(nats(unreached) == nats(exact));
  const Json clamped = with({"--precision", "float64", "--clamp", "1"});
  CHECK(clamped["protocol"]["clamp"] == 1);
  CHECK(std::abs(nats(clamped) - nats(exact)) > 1e-10);
  const std::string step = lctrain::checkpoints(place.run("xl")).front();
  const Json named = json_of(place, {"--checkpoint", "runs/xl/checkpoints/" + step});
  CHECK(named["protocol"]["chosen"] == "named");

  write(place.path() / "other.txt", "the river runs under a stone bridge");
  const Json other = with({"--data", "other.txt", "--out", "reports"});
  CHECK(other["tokens_total"] == 35);
  CHECK(other["protocol"]["data"] == "other.txt");
  CHECK(fs::exists(place.path() / "reports" / "text.json"));
}

TEST_CASE("flag --stride sets how far windows move, and the protocol says it") {
  const Workplace place;
  train_vanilla(place);
  const auto with_stride = [&](const char* stride) {
    Json json = json_of(place, {"--checkpoint", "runs/vanilla", "--stride", stride});
    CHECK(json["tokens_scored"] == 2999);
    CHECK(json["protocol"]["window"] == 16);
    CHECK(json["protocol"]["stride"] == std::stoi(stride));
    return json;
  };
  const Json half = with_stride("8");
  CHECK(half["protocol"]["mode"] == "windows");
  const Json usual = json_of(place, {"--checkpoint", "runs/vanilla"});
  CHECK(usual["protocol"]["stride"] == 8);
  CHECK(nats(usual) == nats(half));
  const Json closest = with_stride("1");
  CHECK(closest["protocol"]["mode"] == "windows");
  CHECK(std::abs(nats(closest) - nats(half)) > 1e-6);
  const Json apart = with_stride("16");
  CHECK(apart["protocol"]["mode"] == "segments");
  CHECK(std::abs(nats(apart) - nats(half)) > 1e-6);
  CHECK(std::abs(nats(apart) - nats(closest)) > 1e-6);
  const lctrain::Result table =
      run_lceval(place, {"--checkpoint", "runs/vanilla", "--stride", "16"});
  CHECK(table.out.find("; mode segments; ") != std::string::npos);
  CHECK(table.out.find("; stride 16; ") != std::string::npos);
  CHECK(refusal(place, 2, {"--checkpoint", "runs/vanilla", "--stride", "17"})
            .find("value 17 is longer than the window of 16 tokens") != std::string::npos);
}

TEST_CASE("lceval scores the test split where a run has one, and training the valid split") {
  const Workplace place;
  write(place.path() / "test.txt", "the river runs under a stone bridge");
  Json config = place.config("xl");
  config["data"]["test"] = (place.path() / "test.txt").string();
  train(place, "xl", config);
  for (const Json& line : lctrain::metrics(place.run("xl"))) {
    if (line.contains("split")) CHECK(line.at("split") == "valid");
  }
  const Json unasked = json_of(place, {"--checkpoint", "runs/xl"});
  CHECK(unasked["protocol"]["split"] == "test");
  CHECK(unasked["tokens_total"] == 35);
  CHECK(fs::exists(place.run("xl") / "eval" / "test.json"));
  CHECK_FALSE(fs::exists(place.run("xl") / "eval" / "valid.json"));
  // Other evaluations don't take its place.
  const std::string kept = lctrain::bytes(place.run("xl") / "eval" / "test.json");
  for (const std::vector<std::string>& other :
       {std::vector<std::string>{"--checkpoint", "runs/xl", "--tokens", "9"},
        {"--checkpoint", "runs/xl", "--memory", "3"},
        {"--checkpoint", "runs/xl", "--set", "data.boundaries=reset"},
        {"--checkpoint", "runs/xl/checkpoints/step_000040"}}) {
    fs::remove(place.run("xl") / "eval" / "test_other.json");
    const double found = nats(json_of(place, other));
    const auto file = place.run("xl") / "eval" / "test_other.json";
    CHECK(nats(Json::parse(lctrain::bytes(file))) == found);
    CHECK(lctrain::bytes(place.run("xl") / "eval" / "test.json") == kept);
  }
  const Json asked = json_of(place, {"--checkpoint", "runs/xl", "--split", "valid"});
  CHECK(asked["protocol"]["split"] == "valid");
  CHECK(asked["tokens_total"] == 3000);
}

TEST_CASE("periodic evaluation with a memory of its own measures what lceval does") {
  const Workplace place;
  Json config = place.config("xl");
  config["eval"]["memory_length"] = 40;
  config["eval"]["knock_out"] = true;
  config["run"]["precision"] = "float64";
  train(place, "xl", config);
  const auto metrics = lctrain::metrics(place.run("xl"));
  const auto last = std::find_if(metrics.rbegin(), metrics.rend(),
                                 [](const Json& line) { return line.contains("split"); });
  REQUIRE(last != metrics.rend());
  REQUIRE(last->at("step") == 40);
  const std::vector<std::string> step = {"--checkpoint", "runs/xl/checkpoints/step_000040",
                                         "--tokens", "600"};
  const auto with_memory = [&](const char* length) {
    std::vector<std::string> arguments = step;
    arguments.insert(arguments.end(), {"--memory", length});
    return nats(json_of(place, arguments));
  };
  CHECK(nats(*last) == Approx(with_memory("40")).epsilon(1e-12));
  CHECK(std::abs(with_memory("24") - with_memory("40")) > 1e-9);
  std::vector<std::string> diagnose = step;
  diagnose.insert(diagnose.end(), {"--memory", "40", "--diagnose"});
  const double knocked_out =
      json_of(place, diagnose)["without_memory"]["nats_per_token"].get<double>();
  CHECK(last->at("nats_per_token_without_memory").get<double>() ==
        Approx(knocked_out).epsilon(1e-12));
  CHECK(std::abs(knocked_out - with_memory("40")) > 1e-9);
}

TEST_CASE("lceval measures several runs on the same targets and draws them in one plot") {
  const Workplace place;
  train_xl(place);
  train_vanilla(place);
  const Json json =
      json_of(place, {"--checkpoint", "runs/xl", "--checkpoint", "runs/vanilla", "--context",
                      "16,0,4", "--plot", "both.svg", "--csv", "both.csv", "--tokens", "400"});
  REQUIRE(json["runs"].size() == 2);
  for (const Json& result : json["runs"]) {
    REQUIRE(result["contexts"].size() == 3);
    CHECK(keys_of(result["contexts"][0]) ==
          std::set<std::string>{"context", "nats_per_token", "bits_per_byte", "perplexity",
                                "nats_low", "nats_high", "mean_visible"});
    CHECK(result["contexts"][0]["context"] == 0);
    CHECK(result["contexts"][2]["context"] == 16);
    CHECK(result["protocol"]["contexts"]["tokens_scored"] == 400);
    CHECK(result["protocol"]["contexts"]["predecessors"] == 16);
    // With no context at all a model sees one input.
    CHECK(result["contexts"][0]["mean_visible"] == 1.0);
  }
  const std::string svg = lctrain::bytes(place.path() / "both.svg");
  CHECK(svg.find("<svg") != std::string::npos);
  CHECK(svg.find(">xl</text>") != std::string::npos);
  CHECK(svg.find(">vanilla</text>") != std::string::npos);
  std::istringstream csv(lctrain::bytes(place.path() / "both.csv"));
  int lines = 0;
  for (std::string line; std::getline(csv, line);) ++lines;
  CHECK(lines == 1 + 2 * 3);
  CHECK(fs::exists(place.run("vanilla") / "eval" / "valid_other_context_strict.svg"));

  const lctrain::Result folder = run_lceval(place, {"--checkpoint", "runs", "--memory", "4"});
  CHECK(folder.exit_code == 0);
  CHECK(folder.out.find("\nvanilla ") != std::string::npos);
  CHECK(folder.out.find("\nxl ") != std::string::npos);
  CHECK(folder.err.find("--memory says nothing to vanilla") != std::string::npos);

  const Json span =
      json_of(place, {"--checkpoint", "runs/xl", "--context", "0,8", "--context-mode", "span"});
  CHECK(span["protocol"]["contexts"]["mode"] == "span");
  CHECK(refusal(place, 2,
                {"--checkpoint", "runs/vanilla", "--context", "0,8", "--context-mode", "span"})
            .find("vanilla") != std::string::npos);
  CHECK(refusal(place, 2,
                {"--checkpoint", "runs/xl", "--context", "0,8", "--context-mode", "span", "--set",
                 "data.sequence_segments=2"})
            .find("sequence_segments") != std::string::npos);
}

TEST_CASE("lceval compare is antisymmetric, and a run equals itself") {
  const Workplace place;
  train_xl(place);
  train_vanilla(place);
  const Json ab = json_of(place, {"compare", "runs/xl", "runs/vanilla", "--context", "0,8"});
  const Json ba = json_of(place, {"compare", "runs/vanilla", "runs/xl", "--context", "0,8"});
  CHECK(keys_of(ab) == std::set<std::string>{"a", "b", "difference", "contexts", "gains"});
  CHECK(nats(ab["difference"]) == Approx(nats(ab["a"]) - nats(ab["b"])).margin(1e-9));
  CHECK(nats(ab["difference"]) == Approx(-nats(ba["difference"])));
  CHECK(ab["difference"]["nats_low"].get<double>() ==
        Approx(-ba["difference"]["nats_high"].get<double>()));
  CHECK(ab["difference"]["tokens"] == 2999);
  REQUIRE(ab["contexts"].size() == 2);
  CHECK(nats(ab["contexts"][1]) == Approx(-nats(ba["contexts"][1])));
  const Json same = json_of(place, {"compare", "runs/xl", "runs/xl"});
  CHECK(nats(same["difference"]) == 0.0);
  const lctrain::Result text =
      run_lceval(place, {"compare", "runs/xl", "runs/vanilla", "--out", "compared"});
  CHECK(text.exit_code == 0);
  CHECK(text.out.find("difference, xl minus vanilla") != std::string::npos);
  CHECK(fs::exists(place.path() / "compared" / "compare_valid.json"));
}

TEST_CASE("lceval scores records one by one") {
  const Workplace place;
  train_xl(place);
  const std::vector<std::string> lines = {"the river runs under the bridge", "x",
                                          "a stone, a stone"};
  write(place.path() / "records.txt", lines[0] + "\n" + lines[1] + "\n\n" + lines[2] + "\n");
  const lctrain::Result result = run_lceval(
      place,
      {"--checkpoint", "runs/xl", "--data", "records.txt", "--records", "lines", "--lanes", "2"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  std::istringstream stream(result.out);
  std::vector<Json> records;
  for (std::string line; std::getline(stream, line);) records.push_back(Json::parse(line));
  REQUIRE(records.size() == 3);
  const std::vector<int64_t> numbers = {1, 2, 4};  // line 3 is empty
  for (size_t i = 0; i < lines.size(); ++i) {
    CHECK(records[i]["record"] == numbers[i]);
    CHECK(records[i]["tokens_total"] == lines[i].size());
    CHECK(records[i]["tokens_scored"] == lines[i].size() - 1);
    if (lines[i].size() == 1) continue;
    // Alone in a file a record gives the same numbers.
    write(place.path() / "alone.txt", lines[i]);
    const Json alone = json_of(place, {"--checkpoint", "runs/xl", "--data", "alone.txt"});
    CHECK(nats(records[i]) == Approx(nats(alone)).epsilon(1e-5));
    CHECK(records[i]["bits_per_byte"].get<double>() ==
          Approx(alone["bits_per_byte"].get<double>()).epsilon(1e-5));
  }
  CHECK(records[1]["nats_per_token"].is_null());
  CHECK(records[2]["name"].get<std::string>().find(":4") != std::string::npos);
}

TEST_CASE("lceval refuses bad input with one sentence and the documented exit code") {
  const Workplace place;
  train_xl(place);
  const std::vector<std::string> xl = {"--checkpoint", "runs/xl"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), xl.begin(), xl.end());
    return more;
  };
  refusal(place, 2, with({"--no-such-flag"}));
  refusal(place, 2, {});
  refusal(place, 2, with({"--plot", "a.svg"}));
  refusal(place, 2, with({"--context", "0,x"}));
  refusal(place, 2, with({"--context-mode", "span"}));
  refusal(place, 2, with({"--records", "lines"}));
  refusal(place, 2, with({"--split", "valid", "--data", "valid.txt"}));
  CHECK(refusal(place, 2, with({"--tokens", "0"})) ==
        "lceval: --tokens: 0 is too small; give a whole number from 1 on\n");
  CHECK(refusal(place, 2, with({"--lanes", "-2"})).find("-2 is too small") != std::string::npos);
  CHECK(refusal(place, 2, with({"--context", ""})).find("--context: is empty") !=
        std::string::npos);
  CHECK(refusal(place, 2, with({"--memory", "-3"})) ==
        "lceval: --memory: -3 is out of range; give an integer of at least 0 and at most "
        "2147483648\n");
  CHECK(refusal(place, 2, with({"--sweep", "memory=3,-1"})) ==
        "lceval: --sweep memory=-1: -1 is out of range; give an integer of at least 0 and at most "
        "2147483648\n");
  for (const std::string flag : {"--data", "--csv", "--plot", "--dump-nll", "--out"}) {
    CHECK(refusal(place, 2, with({flag, ""})) == "lceval: " + flag + ": is empty; give a path\n");
  }
  CHECK(refusal(place, 2, {"--checkpoint", ""}) == "lceval: --checkpoint: is empty; give a path\n");
  refusal(place, 2, with({"--stride", "4"}));
  refusal(place, 2, with({"--set", "model.layers=3"}));
  refusal(place, 2, with({"--set", "model.layer=3"}));
  refusal(place, 2, with({"--set", "optim.lr=3"}));
  refusal(place, 2, {"compare", "runs/xl"});
  refusal(place, 2, {"compare", "runs/xl", "runs/xl", "passkey", "--lengths", "300"});
  CHECK(refusal(place, 2, {"compare", "runs/xl", "runs/xl", "--diagnose"})
            .find("--diagnose: does not go with compare") != std::string::npos);
  CHECK(refusal(place, 2, with({"--memory-footprint", "--split", "valid"}))
            .find("--split: does not go with --memory-footprint") != std::string::npos);
  refusal(place, 2, with({"--device", "cuda:99"}));
  refusal(place, 3, {"--checkpoint", "runs/absent"});
  fs::create_directories(place.path() / "empty");
  refusal(place, 3, {"--checkpoint", "empty"});
  refusal(place, 3, with({"--split", "test"}));
  refusal(place, 3, with({"--data", "absent.txt"}));
  CHECK(refusal(place, 3, with({"--context", "0,2999"})).find("2999") != std::string::npos);

  // The tokenizer of another run beside the weights of this one.
  Json pieces = place.config("pieces");
  pieces["data"]["tokenizer"] = {{"type", "sentencepiece"}, {"vocab_size", 300}};
  train(place, "pieces", pieces);
  const fs::path tokenizer = place.run("xl") / "tokenizer.lctokenizer";
  const std::string own = lctrain::bytes(tokenizer);
  write(tokenizer, lctrain::bytes(place.run("pieces") / "tokenizer.lctokenizer"));
  CHECK(refusal(place, 3, with({"--data", "valid.txt"})).find("was trained with tokenizer") !=
        std::string::npos);
  write(tokenizer, own);

  // A vocabulary that isn't the one of the training any more.
  Json words = place.config("words");
  words["data"]["tokenizer"] = {{"type", "word"}, {"unknown", "unk"}};
  train(place, "words", words);
  const std::string text = lctrain::bytes(place.path() / "train.txt");
  write(place.path() / "train.txt", text + "another\n");
  CHECK(refusal(place, 3, {"--checkpoint", "runs/words"}).find("was trained with tokenizer") !=
        std::string::npos);
  write(place.path() / "train.txt", text);

  // A checkpoint cut short, then one with a bit turned over.
  const fs::path model = place.run("xl") / "checkpoints" /
                         lctrain::pointer(place.run("xl"), "best") / "model.safetensors";
  const std::string whole = lctrain::bytes(model);
  write(model, whole.substr(0, whole.size() / 2));
  refusal(place, 3, xl);
  std::string flipped = whole;
  flipped[flipped.size() - 5] = static_cast<char>(flipped[flipped.size() - 5] ^ 4);
  write(model, flipped);
  refusal(place, 3, xl);
  write(model, whole);
  CHECK(run_lceval(place, xl).exit_code == 0);
}

TEST_CASE("lceval compares only runs that read the same tokens") {
  const Workplace place;
  train_xl(place);
  write(place.path() / "other.txt", std::string(3000, 'a'));
  Json config = place.config("other");
  config["data"]["valid"] = (place.path() / "other.txt").string();
  train(place, "other", config);
  const std::string message = refusal(place, 3, {"compare", "runs/xl", "runs/other"});
  CHECK(message.find("other: has another text than xl") != std::string::npos);
  refusal(place, 3, {"--checkpoint", "runs/xl", "--checkpoint", "runs/other", "--context", "0,4"});
  // One table is still possible: it says what each run read.
  CHECK(run_lceval(place, {"--checkpoint", "runs"}).exit_code == 0);
}

}  // namespace lceval

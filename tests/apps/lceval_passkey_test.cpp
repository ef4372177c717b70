// lceval passkey and lceval --sweep on runs that lctrain has just trained, one of them on the
// passkey corpus.
#include <sstream>

#include "apps/lceval_process.h"
#include "catch.h"

namespace lceval {
namespace {

void train_toy(const Workplace& place) {
  Json config = place.config("toy");
  config["data"] = {
      {"corpus", "passkey"},
      {"boundaries", "reset"},
      {"passkey", {{"samples", 200}, {"eval_samples", 10}, {"length", {{0, 32}, {80, 48}}}}},
      {"tokenizer", {{"type", "byte"}}}};
  config["train"]["bptt_segments"] = {{0, 2}, {20, 3}};
  train(place, "toy", config);
}

int lines_of(const fs::path& file) {
  std::istringstream stream(lctrain::bytes(file));
  int lines = 0;
  for (std::string line; std::getline(stream, line);) ++lines;
  return lines;
}

}  // namespace

TEST_CASE("lctrain trains on the passkey corpus, and lceval passkey tells what it remembers") {
  const Workplace place;
  train_toy(place);
  const Json json =
      json_of(place, {"passkey", "--checkpoint", "runs/toy", "--format", "toy", "--lengths",
                      "64,32", "--depths", "0,0.5,1", "--samples", "12", "--plot", "map.svg"});
  CHECK(json["format"] == "toy");
  CHECK(json["chance"]["exact"] == 0.001);
  REQUIRE(json["cells"].size() == 6);
  const Json& first = json["cells"][0];
  CHECK(first["length"] == 32);
  CHECK(first["depth"] == 0.0);
  CHECK(first["samples"] == 12);
  CHECK(first["tokens"] == 29.0);
  CHECK(first["compressions"] == 1.0);  // segments of 16: the needle ends at 8, the question at 28
  CHECK(json["cells"][5]["compressions"] == 0.0);
  for (const Json& cell : json["cells"]) {
    for (const Json* scores : {&cell, &cell["memory_zeroed"]}) {
      for (const char* score : {"digit_accuracy", "exact", "first_integer"}) {
        const auto value = scores->at(score).get<double>();
        CHECK((value >= 0 && value <= 1));
      }
    }
  }
  CHECK(json["protocol"]["memory"] == 24);
  CHECK(json["protocol"]["segment"] == 16);
  CHECK(json["protocol"]["chosen"] == "best");
  const fs::path eval = place.run("toy") / "eval";
  CHECK(Json::parse(lctrain::bytes(eval / "passkey_toy.json")) == json);
  CHECK(lines_of(eval / "passkey_toy.csv") == 7);
  CHECK(lctrain::bytes(place.path() / "map.svg") == lctrain::bytes(eval / "passkey_toy.svg"));

  // Another memory, published prompts, a folder of its own.
  const lctrain::Result table =
      run_lceval(place, {"passkey", "--checkpoint", "runs/toy", "--lengths", "300", "--depths",
                         "0.5", "--samples", "3", "--memory", "4", "--out", "reports"});
  INFO(table.err);
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("zeroed: digits %") != std::string::npos);
  CHECK(table.out.find("\nprotocol of toy: ") != std::string::npos);
  CHECK(table.out.find("memory 4") != std::string::npos);
  CHECK(fs::exists(place.path() / "reports" / "passkey_newline.svg"));

  // What training counted is its own affair: every token of the split is scored alike.
  const Json plain = json_of(place, {"--checkpoint", "runs/toy"});
  CHECK(plain["tokens_scored"] == 10 * 47);
  CHECK(plain["tokens_skipped"] == 10);
}

TEST_CASE("lceval passkey refuses bad input with one sentence") {
  const Workplace place;
  train_xl(place);
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = {"passkey", "--checkpoint", "runs/xl"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  refusal(place, 2, with({}));
  CHECK(refusal(place, 2, with({"--lengths", "300,200"})).find("at least 247") !=
        std::string::npos);
  CHECK(refusal(place, 2, with({"--lengths", "16", "--format", "toy"})).find("at least 17") !=
        std::string::npos);
  CHECK(refusal(place, 2, with({"--lengths", "300", "--format", "lines"}))
            .find("newline, space, toy") != std::string::npos);
  CHECK(refusal(place, 2, with({"--lengths", "300", "--depths", "0,1.5"})).find("1.5") !=
        std::string::npos);
  refusal(place, 2, with({"--lengths", "300", "--depths", "start"}));
  refusal(place, 2, with({"--lengths", "300", "--samples", "0"}));
  CHECK(refusal(place, 2, with({"--lengths", "300", "--seed", "-1"}))
            .find("--seed: -1 is too small") != std::string::npos);
  refusal(place, 2, with({"--lengths", ""}));
  refusal(place, 2, with({"--lengths", "3e2"}));
  refusal(place, 2, with({"--lengths", "300", "--context", "0,4"}));
  refusal(place, 2, with({"--lengths", "300", "--split", "valid"}));
  refusal(place, 2, with({"--lengths", "300", "--compressed", "4"}));
  refusal(place, 2, {"passkey", "--lengths", "300"});
  refusal(place, 3, {"passkey", "--checkpoint", "runs/absent", "--lengths", "300"});
}

TEST_CASE("lceval --sweep scores the same targets under each combination of values") {
  const Workplace place;
  train_xl(place);
  const std::vector<std::string> base = {"--checkpoint", "runs/xl", "--tokens", "500"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return more;
  };
  const Json json = json_of(place, with({"--sweep", "memory=4,24", "--sweep", "span=segment,fixed",
                                         "--csv", "grid.csv"}));
  REQUIRE(json["sweep"].size() == 4);
  for (const Json& cell : json["sweep"]) CHECK(cell["tokens_scored"] == 500);
  CHECK(json["sweep"][1]["span"] == "fixed");
  const Json alone = json_of(place, with({"--memory", "4", "--span", "fixed"}));
  CHECK(json["sweep"][1]["nats_per_token"] == alone["nats_per_token"]);
  CHECK(lines_of(place.path() / "grid.csv") == 5);
  CHECK(fs::exists(place.run("xl") / "eval" / "valid_other_sweep.json"));
  const lctrain::Result table = run_lceval(place, with({"--sweep", "memory=4,24"}));
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("\nxl       24") != std::string::npos);

  refusal(place, 2, with({"--sweep", "memory"}));
  refusal(place, 2, with({"--sweep", "memory=4,-4"}));
  refusal(place, 2, with({"--sweep", "memory=4", "--memory", "8"}));
  refusal(place, 2, with({"--sweep", "memory=4", "--context", "0,4"}));
  CHECK(refusal(place, 2, with({"--sweep", "compressed=4,8"})).find("compressed") !=
        std::string::npos);
}

}  // namespace lceval

// lctrain --init-from: a new training that begins with the weights of another run.
#include <fstream>
#include <string>
#include <vector>

#include "apps/lctrain_process.h"
#include "catch.h"

namespace {

using lctrain::Json;
using lctrain::Workplace;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string weights(const Workplace& place, const std::string& run, const std::string& step) {
  return lctrain::bytes(place.run(run) / "checkpoints" / step / "model.safetensors");
}

// A run of ten steps in runs/first; gives the path of its config.
void first_run(const Workplace& place) {
  Json config = place.config("first");
  config["train"]["steps"] = 10;
  config["eval"]["every"] = 0;
  const auto result = lctrain::run(place, {"--config", place.write("first.json", config).string()});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
}

// A config of a run that stays where it begins: its one step is too small for float32.
Json still(const Workplace& place) {
  Json config = place.config("second");
  config["train"]["steps"] = 1;
  config["run"]["seed"] = 7;
  config["eval"]["every"] = 0;
  config["optim"] = {{"lr", 1e-30}};
  return config;
}

// Trains what the config says, beginning with the weights of runs/first.
lctrain::Result begin_with_first(const Workplace& place, const Json& config,
                                 const std::vector<std::string>& flags = {}) {
  std::vector<std::string> arguments = {"--config", place.write("next.json", config).string(),
                                        "--init-from", place.run("first").string()};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return lctrain::run(place, arguments);
}

}  // namespace

TEST_CASE("training begins with the weights of another run, and resumes without them",
          "[lctrain]") {
  const Workplace place;
  first_run(place);
  const Json config = still(place);
  const auto dry = begin_with_first(place, config, {"--dry-run"});
  CAPTURE(dry.err);
  CHECK(dry.exit_code == 0);
  CHECK(has(dry.err, "beginning with the weights of"));
  CHECK_FALSE(lctrain::fs::exists(place.run("second")));
  const auto result = begin_with_first(place, config);
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(has(result.err, "beginning with the weights of"));
  CHECK(weights(place, "second", "step_000001") == weights(place, "first", "step_000010"));
  const Json stored = Json::parse(lctrain::bytes(place.run("second") / "config.json"));
  CHECK(stored.at("run").at("init_from") == place.run("first").string());
  // The optimizer begins anew: one step has been made.
  CHECK(lctrain::state(place.run("second") / "checkpoints/step_000001").at("step") == 1);

  lctrain::fs::remove_all(place.run("first"));
  CHECK(begin_with_first(place, config, {"--dry-run"}).exit_code == 0);
  const auto resumed = begin_with_first(place, config, {"--set", "train.steps=2"});
  CAPTURE(resumed.err);
  CHECK(resumed.exit_code == 0);
  CHECK(has(resumed.err, "going on after step 1"));
  const auto changed = lctrain::run(
      place, {"--config", place.write("next.json", config).string(), "--init-from", "elsewhere"});
  CHECK(changed.exit_code == 2);
  CHECK(has(changed.err, "run.init_from"));
}

TEST_CASE("a run that restarts can't begin with the weights that it moves aside, nor with none",
          "[lctrain]") {
  const Workplace place;
  first_run(place);
  Json config = still(place);
  config["run"]["out_dir"] = place.run("first").string();
  for (const std::string dry : {"--dry-run", "--quiet"}) {
    CAPTURE(dry);
    const auto moved = begin_with_first(place, config, {"--restart", dry});
    CHECK(moved.exit_code == 2);
    CHECK(has(moved.err, "lies in the run that --restart moves aside"));
    const std::string path = place.write("next.json", config).string();
    const auto absent =
        lctrain::run(place, {"--config", path, "--init-from", "nowhere", "--restart", dry});
    CHECK(absent.exit_code == 3);
    CHECK(has(absent.err, "nowhere"));
  }
  CHECK(lctrain::checkpoints(place.run("first")).size() == 1);
}

TEST_CASE("weights of another architecture are refused with the values to set", "[lctrain]") {
  const Workplace place;
  first_run(place);
  Json config = still(place);
  config["model"]["norm"] = "pre";
  config["model"]["norm_eps"] = 1e-6;
  config["model"]["positions"] = {{"score_scaling", "before_biases"}};
  config["model"]["dropout"] = 0.0;  // which is free, as are lengths
  config["model"]["transformer_xl"]["memory_length"] = 8;
  CHECK(begin_with_first(place, config, {"--dry-run"}).exit_code == 2);
  const auto result = begin_with_first(place, config);
  CAPTURE(result.err);
  CHECK(result.exit_code == 2);
  CHECK(has(result.err, "run.init_from: the weights of"));
  CHECK(has(result.err,
            "values: model.norm: \"post\" -> \"pre\", model.norm_eps: 1e-05 -> 1e-06, "
            "model.positions.score_scaling: null -> \"before_biases\"; "));
  CHECK(has(result.err,
            "with --set model.norm=post --set model.norm_eps=1e-05 --set "
            "model.positions.score_scaling=null, or begin"));
  CHECK(lctrain::checkpoints(place.run("second")).empty());
  const auto taken = begin_with_first(place, config,
                                      {"--set", "model.norm=post", "--set", "model.norm_eps=1e-05",
                                       "--set", "model.positions.score_scaling=null"});
  CAPTURE(taken.err);
  CHECK(taken.exit_code == 0);
  CHECK(weights(place, "second", "step_000001") == weights(place, "first", "step_000010"));

  config = still(place);
  config["run"]["out_dir"] = place.run("third").string();
  config["model"]["layers"] = 3;
  config["model"]["d_inner"] = 33;
  const auto larger = begin_with_first(place, config);
  CHECK(larger.exit_code == 2);
  CHECK(has(larger.err, "model.d_inner: 32 -> 33, model.layers: 2 -> 3"));
}

TEST_CASE("weights that don't fit a training are listed", "[lctrain]") {
  const Workplace place;
  first_run(place);
  Json config = still(place);
  config["data"]["tokenizer"] = {{"type", "word"}};
  config["data"].erase("valid");
  const auto result = begin_with_first(place, config);
  CAPTURE(result.err);
  CHECK(result.exit_code == 3);
  CHECK(has(result.err, "step_000010: the weights don't fit the model"));
  CHECK(has(result.err, "embedding.0.weight is [256, 16]"));
  CHECK(has(result.err, "output.0.bias is [256]"));
  CHECK(lctrain::checkpoints(place.run("second")).empty());

  const auto absent =
      lctrain::run(place, {"--config", place.write("third.json", still(place)).string(),
                           "--init-from", place.run("none").string()});
  CHECK(absent.exit_code == 3);
  CHECK(has(absent.err, "there is no such folder"));

  lctrain::fs::remove(place.run("first") / "config.json");
  const auto bare = begin_with_first(place, still(place));
  CHECK(bare.exit_code == 3);
  CHECK(has(bare.err, "there is no config of the run"));
}

TEST_CASE("weights of another tokenizer of the same size are a warning", "[lctrain]") {
  const Workplace place;
  // The same text with another word in place of one: as many words, of other meanings.
  std::string text = lctrain::bytes(place.path() / "train.txt");
  for (size_t at = 0; (at = text.find("river", at)) != std::string::npos;) {
    text.replace(at, 5, "ocean");
  }
  const auto other = place.path() / "other.txt";
  std::ofstream(other, std::ios::binary) << text;
  Json first = place.config("first");
  first["train"]["steps"] = 1;
  first["eval"]["every"] = 0;
  first["data"]["tokenizer"] = {{"type", "word"}};
  first["data"].erase("valid");
  Json second = still(place);
  second["data"] = first["data"];
  second["data"]["train"] = other.string();
  REQUIRE(lctrain::run(place, {"--config", place.write("first.json", first).string()}).exit_code ==
          0);
  const auto result = begin_with_first(place, second);
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(has(result.err, "trained with another tokenizer"));
}

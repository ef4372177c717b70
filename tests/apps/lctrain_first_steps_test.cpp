// What new users of lctrain run into: paths left empty, texts too short for their settings, folders
// that hold something else, runs that ended before their first checkpoint.
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

std::string write_file(const lctrain::fs::path& path, const std::string& text) {
  lctrain::fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

// A run of a few steps without evaluations.
Json short_run(const Workplace& place) {
  Json config = place.config("run");
  config["train"]["steps"] = 2;
  config["eval"]["every"] = 0;
  return config;
}

lctrain::Result train(const Workplace& place, const Json& config,
                      const std::vector<std::string>& flags = {}) {
  std::vector<std::string> arguments{"--config", place.write("c.json", config).string()};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return lctrain::run(place, arguments);
}

}  // namespace

TEST_CASE("an empty path is refused by flag or key", "[lctrain]") {
  const Workplace place;
  const Json config = short_run(place);
  for (const std::string flag : {"--out", "--init-from"}) {
    const auto result = train(place, config, {flag, ""});
    CAPTURE(flag, result.err);
    CHECK(result.exit_code == 2);
    CHECK(has(result.err, flag + ": is empty; give a path"));
  }
  const auto no_config = lctrain::run(place, {"--config", ""});
  CHECK(no_config.exit_code == 2);
  CHECK(has(no_config.err, "--config: is empty; give a path"));
  for (const std::string key : {"run.name", "run.out_dir", "run.init_from", "data.train"}) {
    const auto result = train(place, config, {"--set", key + "="});
    CAPTURE(key, result.err);
    CHECK(result.exit_code == 2);
    CHECK(has(result.err, "--set " + key + ": \"\" is empty; give a text"));
  }
}

TEST_CASE("a dry run of segments longer than any lane takes little memory itself", "[lctrain]") {
  const Workplace place;
  Json config = place.config("run");
  config["train"]["lanes"] = 1;
  config["train"]["segment_length"] = 10'000'000;
  config["model"]["heads"] = 8;
  const std::string path = place.write("run.json", config).string();
  // One matrix of attention over the lane's 29,999 tokens has 28.8 GB.
  const auto result = lctrain::run(place, {"--config", path, "--dry-run"}, "ulimit -v 40000000");
  CAPTURE(result.out, result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(has(result.err,
            "warning train.segment_length: 10000000 tokens are more than the longest stretch that "
            "a lane reads, 29999: "));
  CHECK_FALSE(has(result.err, "profil"));  // a remark of the allocator's
  CHECK(has(result.out, "training    transformer_xl   29,999"));
  CHECK(has(result.out, "evaluation  transformer_xl      600"));  // eval.tokens
  const size_t found = result.out.find("activations (estimate)");
  REQUIRE(found != std::string::npos);
  // The weights of attention in each of two layers, at least.
  CHECK(std::stod(result.out.substr(found + 22)) > 2 * 28'000.0);
}

TEST_CASE("lanes too short for a segment are warned of, and trained on", "[lctrain]") {
  const Workplace place;
  Json config = short_run(place);
  const std::string said = "tokens are more than the longest stretch that a lane reads";
  CHECK_FALSE(has(train(place, config).err, said));
  config["run"]["out_dir"] = place.run("many").string();
  config["train"]["lanes"] = 2000;
  const auto many = train(place, config);
  CAPTURE(many.err);
  CHECK(many.exit_code == 0);
  CHECK(has(many.err, "train.segment_length: 16 " + said + ", 15: "));
  CHECK(has(many.err, "fewer lanes (train.lanes) or a longer text"));
}

TEST_CASE("more lanes than the text has predictions are refused before they take memory",
          "[lctrain]") {
  const Workplace place;
  Json config = short_run(place);
  for (const int64_t lanes : {int64_t{30'000}, int64_t{4'000'000'000'000'000'000}}) {
    config["train"]["lanes"] = lanes;
    for (const std::vector<std::string>& flags :
         {std::vector<std::string>{}, std::vector<std::string>{"--dry-run"}}) {
      const auto result = train(place, config, flags);
      CAPTURE(lanes, flags.size(), result.err);
      CHECK(result.exit_code == 3);
      CHECK(has(result.err, "lctrain: train split: its 30000 tokens are too few for " +
                                std::to_string(lanes) +
                                " lanes with something to predict in "
                                "each; give a longer text or fewer lanes (train.lanes)"));
    }
  }
  config["train"]["lanes"] = 4;
  config["data"]["train"] = write_file(place.path() / "one.txt", "a");
  CHECK(train(place, config).exit_code == 3);
}

TEST_CASE("a valid split without a target is refused before anything is trained", "[lctrain]") {
  const Workplace place;
  Json config = place.config("run");
  config["data"]["valid"] = write_file(place.path() / "one.txt", "a");
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{}, std::vector<std::string>{"--dry-run"}}) {
    const auto result = train(place, config, flags);
    CAPTURE(flags.size(), result.err);
    CHECK(result.exit_code == 3);
    CHECK(has(result.err, "lctrain: valid split: 1 tokens hold nothing to score; "));
    CHECK_FALSE(has(result.err, "step "));
  }
  CHECK_FALSE(lctrain::fs::exists(place.run("run")));
  CHECK(train(place, config, {"--set", "eval.every=0", "--set", "train.steps=1"}).exit_code == 0);
}

TEST_CASE("a run that ended before its first checkpoint starts under any config", "[lctrain]") {
  const Workplace place;
  const Json config = short_run(place);
  // What is left of it: its config, its log and a lock that nobody holds.
  const auto dumped = train(place, config, {"--dump-config"});
  REQUIRE(dumped.exit_code == 0);
  write_file(place.run("run") / "config.json", dumped.out);
  write_file(place.run("run") / "metrics.jsonl", "{\"step\":5,\"lr\":1.0}\n");
  write_file(place.run("run") / "lock", "1\n");
  const auto result = train(place, config, {"--set", "train.lanes=2"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(has(result.err, "starting in"));
  CHECK_FALSE(has(result.err, "changed for the resumed run"));
  const Json stored = Json::parse(lctrain::bytes(place.run("run") / "config.json"));
  CHECK(stored.at("train").at("lanes") == 2);
  const std::vector<Json> metrics = lctrain::metrics(place.run("run"));
  REQUIRE(metrics.size() == 1);
  CHECK(metrics[0].at("step") == 2);
}

TEST_CASE("a folder of other things is not moved aside, and a file is no run folder", "[lctrain]") {
  const Workplace place;
  const Json config = short_run(place);
  const std::string notes = write_file(place.run("run") / "notes.txt", "mine");
  const auto refused = train(place, config, {"--restart"});
  CAPTURE(refused.err);
  CHECK(refused.exit_code == 2);
  CHECK(has(refused.err, "the folder holds other files, and no run that --restart could move"));
  CHECK(lctrain::fs::exists(notes));
  CHECK_FALSE(lctrain::fs::exists(place.run("run.old1")));
  CHECK(train(place, config).exit_code == 0);
  CHECK(lctrain::bytes(notes) == "mine");
  CHECK(train(place, config, {"--restart"}).exit_code == 0);
  CHECK(lctrain::bytes(place.run("run.old1") / "notes.txt") == "mine");

  const auto file = train(place, config, {"--out", (place.path() / "train.txt").string()});
  CAPTURE(file.err);
  CHECK(file.exit_code == 2);
  CHECK(has(file.err, "train.txt: is a file, no folder for a run; choose another path with --out"));

  const auto missing =
      train(place, config, {"--out", place.run("none").string(), "--set", "data.train=nowhere"});
  CHECK(missing.exit_code == 3);
  CHECK_FALSE(lctrain::fs::exists(place.run("none")));
}

TEST_CASE("changes are told of where a run goes on, not where it is finished", "[lctrain]") {
  const Workplace place;
  Json config = short_run(place);
  REQUIRE(train(place, config).exit_code == 0);
  const std::string said = "changed for the resumed run: optim.lr: 0.003 -> 0.001";
  const auto finished = train(place, config, {"--set", "optim.lr=0.001"});
  CAPTURE(finished.err);
  CHECK(finished.exit_code == 0);
  CHECK(has(finished.err, "this run is finished: step 2"));
  CHECK_FALSE(has(finished.err, "changed for"));
  const auto longer = train(place, config, {"--set", "optim.lr=0.001", "--set", "train.steps=3"});
  CAPTURE(longer.err);
  CHECK(has(longer.err, said));
  CHECK(has(longer.err, "changed for the resumed run: train.steps: 2 -> 3"));

  // Without a valid split nothing is left to evaluate, though evaluations are asked for.
  config = place.config("bare");
  config["train"]["steps"] = 2;
  config["data"].erase("valid");
  REQUIRE(train(place, config).exit_code == 0);
  const auto bare = train(place, config, {"--set", "optim.lr=0.001"});
  CAPTURE(bare.err);
  CHECK(bare.exit_code == 0);
  CHECK(has(bare.err, "this run is finished: step 2"));
  CHECK_FALSE(has(bare.err, "changed for"));

  // A run that has all its steps, but not its evaluation, goes on.
  config = short_run(place);
  config["run"]["out_dir"] = place.run("unscored").string();
  REQUIRE(train(place, config).exit_code == 0);
  const auto scored = train(place, config, {"--set", "eval.every=1"});
  CAPTURE(scored.err);
  CHECK(has(scored.err, "changed for the resumed run: eval.every: 0 -> 1"));
  CHECK(has(scored.err, "step 2 | valid loss"));
}

TEST_CASE("a learning rate that a longer run moves is warned of with both values", "[lctrain]") {
  const Workplace place;
  Json config = short_run(place);
  config["train"]["steps"] = 10;
  config["optim"]["schedule"] = {{"name", "cosine"}};
  REQUIRE(train(place, config).exit_code == 0);
  const auto longer = train(place, config, {"--set", "train.steps=20"});
  CAPTURE(longer.err);
  CHECK(longer.exit_code == 0);
  // 0.003 (1 + cos pi) / 2, and 0.003 (1 + cos pi/2) / 2.
  CHECK(has(longer.err,
            "warning the changes move the learning rate of step 11 from 0 to 0.0015; "
            "optim.schedule.total_steps is null and follows the length of the run: set it to 10 "
            "to keep the schedule"));
  const auto kept =
      train(place, config, {"--set", "train.steps=22", "--set", "optim.schedule.total_steps=20"});
  CAPTURE(kept.err);
  CHECK(kept.exit_code == 0);
  CHECK_FALSE(has(kept.err, "learning rate"));
}

TEST_CASE("a call that makes no update writes no line of training", "[lctrain]") {
  const Workplace place;
  Json config = place.config("run");
  config["train"]["steps"] = 6;
  config["checkpoint"]["every"] = 3;
  config["eval"]["every"] = 0;
  REQUIRE(train(place, config).exit_code == 0);
  const std::vector<Json> whole = lctrain::metrics(place.run("run"));
  REQUIRE(whole.size() == 2);  // steps 5 and 6

  // Back to the checkpoint of step 3, between two lines, which is to be evaluated alone.
  const auto checkpoints = place.run("run") / "checkpoints";
  lctrain::fs::remove_all(checkpoints / "step_000006");
  write_file(checkpoints / "last", "step_000003\n");
  const auto scored = train(place, config, {"--set", "train.steps=3", "--set", "eval.every=3"});
  CAPTURE(scored.err);
  REQUIRE(scored.exit_code == 0);
  const std::vector<Json> lines = lctrain::metrics(place.run("run"));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].at("split") == "valid");
  CHECK(lines[0].at("step") == 3);

  // The updates before it are in the next line.
  REQUIRE(train(place, config).exit_code == 0);
  const std::vector<Json> resumed = lctrain::metrics(place.run("run"));
  REQUIRE(resumed.size() == 3);
  CHECK(resumed[1] == whole[0]);
  CHECK(resumed[2] == whole[1]);
}

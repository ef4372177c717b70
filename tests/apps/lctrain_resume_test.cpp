// A run that was stopped and resumed ends in the same bytes as one that never was.
#include <signal.h>

#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "apps/lctrain_process.h"
#include "catch.h"

namespace {

using lctrain::Json;
using lctrain::Workplace;

void sleep_for(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// Until the run has written something more, or has ended.
void wait_for_progress(lctrain::Process& process, const lctrain::fs::path& run_folder) {
  const auto before = lctrain::bytes(run_folder / "metrics.jsonl").size();
  while (process.running() && lctrain::bytes(run_folder / "metrics.jsonl").size() <= before) {
    sleep_for(2);
  }
}

void check_same_end(const lctrain::fs::path& resumed, const lctrain::fs::path& whole) {
  const std::string step = lctrain::pointer(whole, "last");
  REQUIRE(lctrain::pointer(resumed, "last") == step);
  for (const char* file : {"model.safetensors", "optimizer.safetensors", "memory.safetensors"}) {
    CAPTURE(file);
    const auto expected = lctrain::bytes(whole / "checkpoints" / step / file);
    CHECK(!expected.empty());
    CHECK(lctrain::bytes(resumed / "checkpoints" / step / file) == expected);
  }
  CHECK(lctrain::state(resumed / "checkpoints" / step) ==
        lctrain::state(whole / "checkpoints" / step));
  CHECK(lctrain::pointer(resumed, "best") == lctrain::pointer(whole, "best"));
  CHECK(lctrain::metrics(resumed) == lctrain::metrics(whole));
}

// Starts the run again and again, stops it at random moments, until it is finished.
void run_with_stops(const Workplace& place, const std::string& config,
                    const lctrain::fs::path& run_folder, std::mt19937& random) {
  int stops = 0;
  while (true) {
    lctrain::Process process(place, {"--config", config});
    const int signal = random() % 2 == 0 ? SIGKILL : SIGTERM;
    if (stops < 6) {
      wait_for_progress(process, run_folder);
      sleep_for(static_cast<int>(random() % 60));
      process.send(signal);
    }
    const lctrain::Result result = process.wait();
    CAPTURE(signal, stops, result.err);
    if (result.exit_code == 0) break;
    if (signal == SIGKILL) {
      REQUIRE(result.signal == SIGKILL);
    } else {
      REQUIRE(result.exit_code == 75);
    }
    ++stops;
  }
  CHECK(stops >= 3);
}

}  // namespace

TEST_CASE("a run killed at random moments ends in the same bytes", "[lctrain]") {
  const Workplace place;
  const auto seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);

  Json config = place.config("whole");
  config["train"]["steps"] = 600;
  config["train"]["bptt_segments"] = 2;
  config["optim"]["update_period"] = 2;
  config["optim"]["schedule"]["total_steps"] = 600;
  const auto whole = lctrain::run(place, {"--config", place.write("whole.json", config).string()});
  CAPTURE(whole.err);
  REQUIRE(whole.exit_code == 0);

  config["run"]["out_dir"] = place.run("stopped").string();
  run_with_stops(place, place.write("stopped.json", config).string(), place.run("stopped"), random);
  check_same_end(place.run("stopped"), place.run("whole"));
}

TEST_CASE("N steps and N more equal 2N, with lanes cut otherwise after the stop", "[lctrain]") {
  const Workplace place;
  Json config = place.config("whole");
  config["run"]["precision"] = "float64";
  config["eval"]["every"] = 0;
  const auto whole = lctrain::run(place, {"--config", place.write("whole.json", config).string()});
  CAPTURE(whole.err);
  REQUIRE(whole.exit_code == 0);

  config["run"]["out_dir"] = place.run("halves").string();
  const std::string path = place.write("halves.json", config).string();
  const auto first = lctrain::run(place, {"--config", path, "--set", "train.steps=20"});
  CAPTURE(first.err);
  REQUIRE(first.exit_code == 0);
  CHECK(lctrain::pointer(place.run("halves"), "last") == "step_000020");
  const auto second = lctrain::run(place, {"--config", path});
  CAPTURE(second.err);
  REQUIRE(second.exit_code == 0);
  CHECK(second.err.find("train.steps: 20 -> 40") != std::string::npos);
  check_same_end(place.run("halves"), place.run("whole"));
}

TEST_CASE("a vanilla model in reset mode resumes as well", "[lctrain]") {
  const Workplace place;
  Json config = place.config("whole");
  config["model"]["type"] = "vanilla";
  config["data"]["boundaries"] = "reset";
  config["data"]["sequence_segments"] = 3;
  config["train"]["loss_part"] = "second_half";
  const auto whole = lctrain::run(place, {"--config", place.write("whole.json", config).string()});
  CAPTURE(whole.err);
  REQUIRE(whole.exit_code == 0);

  config["run"]["out_dir"] = place.run("halves").string();
  const std::string path = place.write("halves.json", config).string();
  REQUIRE(lctrain::run(place, {"--config", path, "--set", "train.steps=20"}).exit_code == 0);
  const auto second = lctrain::run(place, {"--config", path});
  CAPTURE(second.err);
  REQUIRE(second.exit_code == 0);
  check_same_end(place.run("halves"), place.run("whole"));
}

TEST_CASE("two threads resume in the same bytes", "[lctrain]") {
  const Workplace place;
  Json config = place.config("whole");
  config["run"]["threads"] = 2;
  config["train"]["steps"] = 4;
  for (const char* section : {"checkpoint", "eval", "log"}) config[section]["every"] = 2;
  const auto whole = lctrain::run(place, {"--config", place.write("whole.json", config).string()});
  CAPTURE(whole.err);
  REQUIRE(whole.exit_code == 0);

  config["run"]["out_dir"] = place.run("halves").string();
  const std::string path = place.write("halves.json", config).string();
  REQUIRE(lctrain::run(place, {"--config", path, "--set", "train.steps=2"}).exit_code == 0);
  REQUIRE(lctrain::run(place, {"--config", path}).exit_code == 0);
  check_same_end(place.run("halves"), place.run("whole"));
}

TEST_CASE("epochs end a run where they end", "[lctrain]") {
  const Workplace place;
  Json config = place.config("epochs");
  // 29,999 predictions in 4 lanes: 7,500 in the longest, 469 segments of 16; updates of 4 blocks of
  // 3 segments: 39 of 12 and one of a single segment.
  config["train"].erase("steps");
  config["train"]["epochs"] = 1;
  config["train"]["bptt_segments"] = 3;
  config["optim"]["update_period"] = 4;
  config["optim"]["schedule"].erase("total_steps");
  const std::string path = place.write("epochs.json", config).string();
  const auto result = lctrain::run(place, {"--config", path});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const auto state = lctrain::state(place.run("epochs") / "checkpoints" / "step_000040");
  CHECK(state.at("cursor") == Json({{"epoch", 1}, {"segment", 0}}));
  CHECK(state.at("segments") == 469);
  CHECK(state.at("tokens") == 29999);

  // On into the second epoch, stopped inside it by tokens.
  const auto more = lctrain::run(
      place, {"--config", path, "--set", "train.epochs=null", "--set", "train.tokens=31000"});
  CAPTURE(more.err);
  REQUIRE(more.exit_code == 0);
  const auto later = lctrain::state(place.run("epochs") / "checkpoints" / "step_000042");
  CHECK(later.at("cursor") == Json({{"epoch", 1}, {"segment", 24}}));
  CHECK(later.at("tokens") == 29999 + 2 * 12 * 4 * 16);
}

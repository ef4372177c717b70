// A run that was stopped and resumed ends in the same bytes as one that never was, or is refused.
#include <signal.h>

#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "apps/lctrain_process.h"
#include "apps/resume_check.h"
#include "catch.h"
#include "core/file_io.h"

namespace {

using lctrain::Json;
using lctrain::Workplace;

void sleep_for(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// Starts the run again and again, stops it at random moments, until it is finished.
void run_with_stops(const Workplace& place, const std::string& config,
                    const lctrain::fs::path& run_folder, std::mt19937& random) {
  int stops = 0;
  while (true) {
    lctrain::Process process(place, {"--config", config});
    const int signal = random() % 2 == 0 ? SIGKILL : SIGTERM;
    if (stops < 6) {
      lctrain::wait_for_progress(process, run_folder);
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
  lctrain::check_same_end(place.run("stopped"), place.run("whole"));
}

TEST_CASE("N steps and N more equal 2N in float64", "[lctrain]") {
  const Workplace place;
  Json config = place.config("run");
  config["run"]["precision"] = "float64";
  config["eval"]["every"] = 0;
  const auto second = lctrain::check_two_halves(place, config, 20);
  CHECK(second.err.find("train.steps: 20 -> 40") != std::string::npos);
}

TEST_CASE("two threads resume in the same bytes", "[lctrain]") {
  const Workplace place;
  Json config = place.config("run");
  config["run"]["threads"] = 2;
  config["train"]["steps"] = 4;
  for (const char* section : {"checkpoint", "eval", "log"}) config[section]["every"] = 2;
  lctrain::check_two_halves(place, config, 2);
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

TEST_CASE("a run isn't resumed on a changed text of any split", "[lctrain]") {
  const Workplace place;
  lc::write_file_atomically(place.path() / "test.txt", "the river runs under a stone bridge");
  Json config = place.config("run");
  config["data"]["test"] = (place.path() / "test.txt").string();
  config["train"]["steps"] = 10;
  config["eval"]["every"] = 0;
  const std::string path = place.write("run.json", config).string();
  REQUIRE(lctrain::run(place, {"--config", path}).exit_code == 0);
  const auto resumed = [&](const std::string& steps) {
    return lctrain::run(place, {"--config", path, "--set", "train.steps=" + steps});
  };
  for (const std::string split : {"train", "valid", "test"}) {
    CAPTURE(split);
    const auto file = place.path() / (split + ".txt");
    const std::string text = lctrain::bytes(file);
    lc::write_file_atomically(file, text + " and more");
    const auto refused = resumed("12");
    CAPTURE(refused.err);
    CHECK(refused.exit_code == 3);
    CHECK(refused.err.find("step_000010: the " + split +
                           " split isn't the text that the run was started with: it has ") !=
          std::string::npos);
    lc::write_file_atomically(file, text);
  }
  const auto taken = resumed("12");
  CAPTURE(taken.err);
  CHECK(taken.exit_code == 0);
}

// How lctrain stops: signals, time, divergence, a full disk; and what it leaves.
#include <signal.h>

#include <chrono>
#include <string>
#include <thread>

#include "apps/lctrain_process.h"
#include "catch.h"

namespace {

using lctrain::Json;
using lctrain::Workplace;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("SIGTERM and SIGINT finish the step, save and exit 75", "[lctrain]") {
  for (const int signal : {SIGTERM, SIGINT}) {
    CAPTURE(signal);
    const Workplace place;
    Json config = place.config("stopped");
    config["train"]["steps"] = 1000000;
    config["checkpoint"]["every"] = 0;
    config["eval"]["every"] = 0;
    const std::string path = place.write("stopped.json", config).string();
    lctrain::Process process(place, {"--config", path});
    while (process.running() && lctrain::bytes(place.run("stopped") / "metrics.jsonl").empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    process.send(signal);
    const auto result = process.wait();
    CAPTURE(result.err);
    CHECK(result.exit_code == 75);
    CHECK(has(result.err, signal == SIGTERM ? "SIGTERM" : "SIGINT"));
    CHECK(has(result.err, "run the same command again"));
    CHECK(has(result.err, "lctrain: stopping after the running step, with a checkpoint; "));
    CHECK(result.out.empty());
    const auto saved = lctrain::checkpoints(place.run("stopped"));
    REQUIRE(saved.size() == 1);
    CHECK(lctrain::state(place.run("stopped") / "checkpoints" / saved[0]).at("step") >= 5);
  }
}

TEST_CASE("train.max_minutes saves and exits 75, each call anew", "[lctrain]") {
  const Workplace place;
  Json config = place.config("timed");
  config["train"].erase("steps");
  config["train"]["max_minutes"] = 0.01;
  config["eval"]["every"] = 0;
  const std::string path = place.write("timed.json", config).string();
  int64_t before = 0;
  for (int call = 0; call < 2; ++call) {
    const auto result = lctrain::run(place, {"--config", path});
    CAPTURE(call, result.err);
    REQUIRE(result.exit_code == 75);
    CHECK(has(result.err, "train.max_minutes"));
    const std::string last = lctrain::pointer(place.run("timed"), "last");
    const auto step =
        lctrain::state(place.run("timed") / "checkpoints" / last).at("step").get<int64_t>();
    CHECK(step > before);
    before = step;
  }
}

TEST_CASE("a diverging run skips, counts, saves and exits 5", "[lctrain]") {
  const Workplace place;
  Json config = place.config("diverged");
  config["optim"] = {{"name", "sgd"}, {"lr", 1e30}};
  config["train"]["max_nonfinite"] = 3;
  config["eval"]["every"] = 0;
  const std::string path = place.write("diverged.json", config).string();
  const auto result = lctrain::run(place, {"--config", path});
  CAPTURE(result.err);
  CHECK(result.exit_code == 5);
  CHECK(has(result.err, "train.max_nonfinite"));
  CHECK(has(result.err, "optim.lr"));
  const std::string last = lctrain::pointer(place.run("diverged"), "last");
  REQUIRE(!last.empty());
  const Json state = lctrain::state(place.run("diverged") / "checkpoints" / last);
  CHECK(state.at("nonfinite") == 3);
  // Skipped updates pass over their text, and are no steps.
  CHECK(state.at("segments") == state.at("step").get<int64_t>() + 3);
}

TEST_CASE("a disk that fills while a checkpoint is written leaves the one before", "[lctrain]") {
  const Workplace place;
  Json config = place.config("full");
  config["checkpoint"]["every"] = 20;
  config["eval"]["every"] = 0;
  const std::string path = place.write("full.json", config).string();
  const auto first = lctrain::run(place, {"--config", path, "--set", "train.steps=20"});
  CAPTURE(first.err);
  REQUIRE(first.exit_code == 0);
  const auto model = place.run("full") / "checkpoints" / "step_000020" / "model.safetensors";
  const std::string before = lctrain::bytes(model);

  // Files of at most 8 KB: the log has room, a checkpoint hasn't.
  REQUIRE(before.size() > 8 * 1024);
  const auto failed = lctrain::run(place, {"--config", path}, "trap '' XFSZ; ulimit -f 8");
  CAPTURE(failed.err);
  CHECK(failed.exit_code == 1);
  CHECK(has(failed.err, "File too large"));
  CHECK(lctrain::pointer(place.run("full"), "last") == "step_000020");
  CHECK(lctrain::checkpoints(place.run("full")) == std::vector<std::string>{"step_000020"});
  CHECK(lctrain::bytes(model) == before);

  const auto again = lctrain::run(place, {"--config", path});
  CAPTURE(again.err);
  CHECK(again.exit_code == 0);
  CHECK(lctrain::pointer(place.run("full"), "last") == "step_000040");
}

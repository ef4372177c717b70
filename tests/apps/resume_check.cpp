#include "apps/resume_check.h"

#include <signal.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "catch.h"

namespace lctrain {
namespace {

constexpr int64_t kNoEnd = 1'000'000;  // steps

void wait_a_little() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

// To its end, which is reached.
Result finish(const Workplace& place, const std::vector<std::string>& arguments) {
  Result result = run(place, arguments);
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  return result;
}

// The same config with a run folder of its own; gives the path of its file.
std::string write_for(const Workplace& place, Json config, const std::string& name) {
  config["run"]["out_dir"] = place.run(name).string();
  return place.write(name + ".json", config).string();
}

std::string steps_of(int64_t steps) { return "train.steps=" + std::to_string(steps); }

// Started without an end, killed after a checkpoint and more log lines; the checkpoint's step.
int64_t kill_after_checkpoint(const Workplace& place, const std::string& config,
                              const fs::path& run_folder) {
  Process process(place, {"--config", config, "--set", steps_of(kNoEnd)});
  while (process.running() && pointer(run_folder, "last").empty()) wait_a_little();
  wait_for_progress(process, run_folder);
  process.send(SIGKILL);
  const Result result = process.wait();
  CAPTURE(result.err);
  REQUIRE(result.signal == SIGKILL);
  return state(run_folder / "checkpoints" / pointer(run_folder, "last")).at("step");
}

}  // namespace

void wait_for_progress(Process& process, const fs::path& run_folder) {
  const auto before = bytes(run_folder / "metrics.jsonl").size();
  while (process.running() && bytes(run_folder / "metrics.jsonl").size() <= before) {
    wait_a_little();
  }
}

void check_same_end(const fs::path& resumed, const fs::path& whole) {
  const std::string step = pointer(whole, "last");
  REQUIRE(pointer(resumed, "last") == step);
  for (const char* file : {"model.safetensors", "optimizer.safetensors", "memory.safetensors"}) {
    CAPTURE(file);
    const auto expected = bytes(whole / "checkpoints" / step / file);
    CHECK(!expected.empty());
    CHECK((bytes(resumed / "checkpoints" / step / file) == expected));
  }
  CHECK(state(resumed / "checkpoints" / step) == state(whole / "checkpoints" / step));
  CHECK(pointer(resumed, "best") == pointer(whole, "best"));
  CHECK(metrics(resumed) == metrics(whole));
}

Result check_two_halves(const Workplace& place, Json config, int64_t first_steps) {
  finish(place, {"--config", write_for(place, config, "whole")});
  const std::string path = write_for(place, std::move(config), "halves");
  finish(place, {"--config", path, "--set", steps_of(first_steps)});
  const fs::path halves = place.run("halves");
  CHECK(state(halves / "checkpoints" / pointer(halves, "last")).at("step") == first_steps);
  Result second = finish(place, {"--config", path});
  check_same_end(halves, place.run("whole"));
  return second;
}

void check_resumed_after_kill(const Workplace& place, Json config) {
  const std::string killed = write_for(place, config, "killed");
  const int64_t saved = kill_after_checkpoint(place, killed, place.run("killed"));
  CAPTURE(saved);
  const std::string end = steps_of(2 * saved);
  finish(place, {"--config", killed, "--set", end});
  finish(place, {"--config", write_for(place, std::move(config), "whole"), "--set", end});
  check_same_end(place.run("killed"), place.run("whole"));
}

}  // namespace lctrain

#include "train/run_log.h"

#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/log.h"
#include "train/dry_run.h"

namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("lc_run_log_test_" + std::to_string(::getpid()));
};

std::vector<nlohmann::json> lines_of(const std::filesystem::path& file) {
  std::istringstream text(lc::read_file(file));
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

}  // namespace

TEST_CASE("a training line has the documented keys and the window's mean", "[train]") {
  const TemporaryFolder folder;
  lc::set_log_level(lc::LogLevel::kOff);
  lc::RunLog log(folder.path / "metrics.jsonl", lc::LossUnit::kPerplexity);
  lc::TrainingState state;
  state.step = 20;
  state.segments = 40;
  state.tokens = 4000;
  state.seconds = 12.5;
  state.window = {.nats = 300, .weight = 150, .tokens = 200, .seconds = 4};
  state.window.auxiliary = {{"some_mse", 0, 1.5, 6}, {"some_mse", 1, 0.0, 0}};
  log.training(state, {.learning_rate = 0.001, .grad_norm = 0.5});
  lc::Evaluation evaluation;
  evaluation.measures.nats_per_token = 1.5;
  evaluation.measures.perplexity = 4.25;
  log.evaluation(20, "valid", evaluation);
  evaluation.measured = {{"gate", {{{"layer", 0}, {"mean", 0.5}}}}};
  log.evaluation(30, "valid", evaluation);
  lc::set_log_level(lc::LogLevel::kInfo);

  const auto lines = lines_of(folder.path / "metrics.jsonl");
  REQUIRE(lines.size() == 3);
  CHECK(lines[2].at("measured").at("gate")[0].at("mean") == 0.5);
  CHECK(lines[0] == nlohmann::json({{"step", 20},
                                    {"segments", 40},
                                    {"tokens", 4000},
                                    {"seconds", 12.5},
                                    {"loss_nats_per_token", 2.0},
                                    {"lr", 0.001},
                                    {"grad_norm", 0.5},
                                    {"tokens_per_second", 50.0},
                                    {"aux/some_mse/0", 0.25},
                                    {"aux/some_mse/0/count", 6},
                                    {"aux/some_mse/1", 0.0},
                                    {"aux/some_mse/1/count", 0}}));
  CHECK(lines[1] == nlohmann::json({{"step", 20},
                                    {"split", "valid"},
                                    {"nats_per_token", 1.5},
                                    {"bits_per_byte", nullptr},
                                    {"perplexity", 4.25}}));
}

TEST_CASE("rewinding leaves each step once", "[train]") {
  const TemporaryFolder folder;
  const auto file = folder.path / "metrics.jsonl";
  lc::write_file_atomically(file,
                            "{\"step\":10,\"lr\":1.0}\n"
                            "{\"step\":10,\"split\":\"valid\"}\n"
                            "{\"step\":20,\"lr\":1.0}\n"
                            "{\"step\":20,\"split\":\"valid\"}\n"
                            "{\"step\":30,\"lr\":1.0}\n"
                            "{\"step\":40,\"lr\":");
  lc::TrainingState state;
  state.step = 20;
  state.evaluated_step = 10;  // saved before the evaluation at 20, which comes again
  lc::RunLog::rewind(file, state);
  CHECK(lc::read_file(file) ==
        "{\"step\":10,\"lr\":1.0}\n"
        "{\"step\":10,\"split\":\"valid\"}\n"
        "{\"step\":20,\"lr\":1.0}\n");
  state.evaluated_step = 20;
  lc::write_file_atomically(file, "{\"step\":20,\"split\":\"valid\"}\n");
  lc::RunLog::rewind(file, state);
  CHECK(lc::read_file(file) == "{\"step\":20,\"split\":\"valid\"}\n");
  lc::RunLog::rewind(folder.path / "absent.jsonl", state);
  CHECK_FALSE(std::filesystem::exists(folder.path / "absent.jsonl"));
}

TEST_CASE("a log that can't be written is a run-time failure", "[train]") {
  lc::RunLog log("/dev/full", lc::LossUnit::kPerplexity);
  try {
    log.training({}, {});
    FAIL("nothing was thrown");
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kRuntime);
    CHECK(std::string(error.what()).find("/dev/full") != std::string::npos);
  }
}

TEST_CASE("the training state survives its file, numbers to the last bit", "[train]") {
  lc::TrainingState state;
  state.step = 123456789012;
  state.segments = 5;
  state.tokens = 6;
  state.epoch = 7;
  state.segment = 8;
  state.nonfinite = 2;
  state.seconds = 0.1 + 0.2;
  state.evaluated_step = 9;
  state.best = lc::BestSoFar{9, 1.0 / 3.0};
  state.window = {.nats = 1e300 / 7, .weight = 3, .tokens = 4, .seconds = 5e-324};
  state.window.auxiliary = {{"some_mse", 3, 0.1 + 0.2, 7}};
  const auto text = state.to_json().dump();
  const auto again = lc::TrainingState::from_json(nlohmann::json::parse(text), "state.json");
  CHECK(again.to_json() == state.to_json());
  CHECK(again.window.nats == state.window.nats);
  CHECK(again.window.seconds == state.window.seconds);
  REQUIRE(again.window.auxiliary.size() == 1);
  CHECK(again.window.auxiliary[0].sum == state.window.auxiliary[0].sum);
  CHECK(again.best->nats_per_token == state.best->nats_per_token);

  auto damaged = state.to_json();
  damaged.erase("cursor");
  try {
    lc::TrainingState::from_json(damaged, "runs/x/state.json");
    FAIL("nothing was thrown");
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kData);
    CHECK(std::string(error.what()).find("runs/x/state.json") != std::string::npos);
  }
}

TEST_CASE("durations are short", "[train]") {
  CHECK(lc::format_duration(0.4) == "0s");
  CHECK(lc::format_duration(59.4) == "59s");
  CHECK(lc::format_duration(59.6) == "1m00s");
  CHECK(lc::format_duration(192) == "3m12s");
  CHECK(lc::format_duration(5 * 3600 + 180) == "5h03m");
  CHECK(lc::format_duration(2 * 86400 + 4 * 3600) == "2d04h");
}

TEST_CASE("parameters are grouped by part", "[train]") {
  CHECK(lc::part_of("layers.3.attention.query.weight") == "layers.*.attention");
  CHECK(lc::part_of("layers.11.norm.weight") == "layers.*.norm");
  CHECK(lc::part_of("embedding.0.weight") == "embedding");
  CHECK(lc::part_of("output.cluster.bias") == "output");
}

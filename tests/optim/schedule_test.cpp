#include "optim/schedule.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catch.h"
#include "core/error.h"
#include "optim/clipping.h"

using namespace lc;
using Json = nlohmann::json;

namespace {

Config config_of(const std::string& text) {
  OptionTable table;
  table.add(optim_options({"main"}));
  return Config::read(table, text, "test", {});
}

std::vector<double> rates(const std::string& schedule, int64_t count) {
  const Config config = config_of(R"({"optim": {"lr": 1, "schedule": )" + schedule + "}}");
  const ScheduleSettings settings = schedule_settings(config, std::nullopt);
  std::vector<double> result;
  for (int64_t t = 0; t < count; ++t) result.push_back(learning_rate(settings, t));
  return result;
}

void require_close(const std::vector<double>& found, const std::vector<double>& wanted) {
  REQUIRE(found.size() == wanted.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i] == Approx(wanted[i]).epsilon(1e-12).margin(1e-15));
  }
}

std::filesystem::path golden_folder() {
  return std::filesystem::path(LC_SOURCE_DIR) / "tests/golden/data";
}

}  // namespace

TEST_CASE("standard schedules rise from lr / warm-up and decay over what follows") {
  require_close(rates(R"({"name": "constant", "warmup_steps": 4})", 6), {0.25, 0.5, 0.75, 1, 1, 1});
  require_close(
      rates(R"({"name": "linear", "warmup_steps": 2, "total_steps": 6, "min_lr": 0.2})", 8),
      {0.5, 1, 1, 0.8, 0.6, 0.4, 0.2, 0.2});
  require_close(rates(R"({"name": "cosine", "warmup_steps": 1, "total_steps": 5})", 6),
                {1, 1, (1 + std::sqrt(0.5)) / 2, 0.5, (1 - std::sqrt(0.5)) / 2, 0});
  require_close(rates(R"({"name": "inverse_sqrt", "warmup_steps": 4, "min_lr": 0.7})", 10),
                {0.25, 0.5, 0.75, 1, 2 / std::sqrt(5), 2 / std::sqrt(6), 2 / std::sqrt(7),
                 2 / std::sqrt(8), 0.7, 0.7});
}

TEST_CASE("reference schedules follow kimiyoung's formulas") {
  require_close(rates(R"({"name": "constant", "warmup_steps": 4, "convention": "reference"})", 6),
                {1, 0.25, 0.5, 0.75, 0.75, 0.75});
  require_close(rates(R"({"name": "cosine", "warmup_steps": 2, "total_steps": 4,
                          "convention": "reference"})",
                      5),
                {1, 0.5, 0.5, (1 - std::sqrt(0.5)) / 2, 0});
  require_close(
      rates(R"({"name": "inverse_sqrt", "warmup_steps": 4, "convention": "reference"})", 6),
      {0, 0.125, 0.25, 0.375, 0.5, 1 / std::sqrt(5)});
}

TEST_CASE("a schedule that ends needs a total, and min_lr stays below lr") {
  const Config cosine = config_of(R"({"optim": {"schedule": {"name": "cosine"}}})");
  CHECK_THROWS_AS(schedule_settings(cosine, std::nullopt), Error);
  CHECK(schedule_settings(cosine, 7).total_steps == 7);
  const Config high = config_of(R"({"optim": {"lr": 0.1, "schedule": {"min_lr": 0.2}}})");
  CHECK_THROWS_AS(schedule_settings(high, 7), Error);
}

TEST_CASE("learning rates and clip factors equal those of the golden training runs") {
  int64_t compared = 0;
  for (const std::string name : {"train_adam", "train_adam_clip_cosine",
                                 "train_adam_clip_cosine_warmup", "train_adam_clip_partly"}) {
    CAPTURE(name);
    std::ifstream file(golden_folder() / "transformer_xl" / name / "case.json");
    REQUIRE(file);
    const Json golden = Json::parse(file);
    const Json& training = golden.at("training");
    const Json optim = {{"lr", training.at("learning_rate")},
                        {"schedule",
                         {{"name", training.at("schedule")},
                          {"warmup_steps", training.at("warmup_steps")},
                          {"total_steps", training.at("max_steps")},
                          {"min_lr", training.at("eta_min")},
                          {"convention", "reference"}}}};
    const auto settings = schedule_settings(config_of(Json{{"optim", optim}}.dump()), std::nullopt);
    const Json& clip = training.at("clip_norm");
    for (const Json& step : golden.at("steps")) {
      const int64_t t = step.at("step").get<int64_t>() - 1;
      CHECK(learning_rate(settings, t) ==
            Approx(step.at("learning_rate").get<double>()).epsilon(1e-12));
      CHECK(clip_factor(step.at("grad_norm").get<double>(),
                        clip.is_null() ? std::nullopt : std::optional(clip.get<double>())) ==
            Approx(step.at("clip_factor").get<double>()).epsilon(1e-12));
      ++compared;
    }
  }
  CHECK(compared == 80);
}

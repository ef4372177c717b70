// What is said of a learning rate that a resumed run's changes move, in closed form.
#include "train/resume.h"

#include <string>
#include <vector>

#include "catch.h"
#include "config/config.h"
#include "data/prepare.h"
#include "eval/stream_evaluation.h"
#include "models/registry.h"
#include "optim/schedule.h"
#include "train/train_settings.h"

namespace {

constexpr lc::EpochSize kTenSegments{.segments = 10, .tokens = 1000};

lc::Config resumed_config(const std::vector<std::string>& overrides) {
  lc::OptionTable table;
  for (auto rows :
       {lc::run_options(), lc::data_options(), lc::model_options(),
        lc::optim_options(lc::parameter_groups()), lc::train_options(), lc::eval_options()}) {
    table.add(std::move(rows));
  }
  return lc::Config::read(table, R"({"optim": {"lr": 0.8}})", "test", overrides);
}

// What is said after so many steps; empty: nothing.
std::string said_of_rate(const std::vector<std::string>& before,
                         const std::vector<std::string>& after, int64_t step) {
  lc::TrainingState state;
  state.step = step;
  const lc::Config old = resumed_config(before);
  const lc::Config now = resumed_config(after);
  return lc::moved_rate({old, now}, state, kTenSegments).value_or("");
}

const std::string kFollows =
    "; optim.schedule.total_steps is null and follows the length of the run: set it to ";

}  // namespace

TEST_CASE("a schedule that follows the run's length moves with it, which is said", "[train]") {
  // 0.8 (1 - 3/4), and 0.8 (1 - 3/8).
  CHECK(said_of_rate({"optim.schedule.name=linear", "train.steps=4"},
                     {"optim.schedule.name=linear", "train.steps=8"},
                     3) == "the changes move the learning rate of step 4 from 0.2 to 0.5" +
                               kFollows + "4 to keep the schedule");
  // 0.8 (1 + cos pi) / 2, and 0.8 (1 + cos pi/2) / 2.
  CHECK(said_of_rate({"optim.schedule.name=cosine", "train.steps=10"},
                     {"optim.schedule.name=cosine", "train.steps=20"},
                     10) == "the changes move the learning rate of step 11 from 0 to 0.4" +
                                kFollows + "10 to keep the schedule");
  // One epoch is 10 steps: 0.8 (1 - 5/10), and 0.8 (1 - 5/20).
  CHECK(said_of_rate({"optim.schedule.name=linear", "train.epochs=1"},
                     {"optim.schedule.name=linear", "train.epochs=2"},
                     5) == "the changes move the learning rate of step 6 from 0.4 to 0.6" +
                               kFollows + "10 to keep the schedule");
}

TEST_CASE("any other change that moves the rate is said without that advice", "[train]") {
  CHECK(said_of_rate({"train.steps=4"}, {"train.steps=4", "optim.lr=0.4"}, 3) ==
        "the changes move the learning rate of step 4 from 0.8 to 0.4");
  // 0.8 * 4/8 in the warm-up, and 0.8 after it.
  CHECK(said_of_rate({"train.steps=9", "optim.schedule.warmup_steps=8"}, {"train.steps=9"}, 3) ==
        "the changes move the learning rate of step 4 from 0.4 to 0.8");
}

TEST_CASE("nothing is said of a rate that stays, nor where no update comes", "[train]") {
  const std::string total = "optim.schedule.total_steps=40";
  CHECK(said_of_rate({"optim.schedule.name=cosine", "train.steps=10", total},
                     {"optim.schedule.name=cosine", "train.steps=20", total}, 10)
            .empty());
  CHECK(said_of_rate({"train.steps=10"}, {"train.steps=20"}, 10).empty());
  CHECK(said_of_rate({"train.steps=10"}, {"train.steps=10", "optim.lr=0.1"}, 10).empty());
}

#include "eval/plans.h"

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "catch.h"
#include "data/text_shape.h"

namespace {

using lc::Boundaries;
using lc::EvaluationPlan;
using lc::LanePlan;
using lc::LeadIn;
using lc::PlanSettings;
using lc::Run;
using lc::TextShape;
using lc::Window;

// What a plan shows for each target: how often it is scored, where its context begins, where the
// segment of its input begins, and its input's position.
struct Seen {
  std::vector<int> scored;
  std::vector<int64_t> context_first;
  std::vector<int64_t> segment_first;
  std::vector<int64_t> position;
};

Seen seen_by(const EvaluationPlan& plan, int64_t tokens) {
  const auto n = static_cast<size_t>(tokens);
  Seen seen{std::vector<int>(n, 0), std::vector<int64_t>(n, -1), std::vector<int64_t>(n, -1),
            std::vector<int64_t>(n, -1)};
  const LanePlan& lanes = plan.lanes;
  for (int64_t b = 0; b < lanes.lanes(); ++b) {
    for (int64_t s = 0; s < lanes.segments(); ++s) {
      const LanePlan::Slice slice = lanes.slice(b, s);
      for (int64_t i = 0; i < slice.count; ++i) {
        const int64_t offset = slice.offset + i;
        if (offset < slice.run->lead_in) continue;
        const auto target = static_cast<size_t>(slice.run->first + offset + 1);
        REQUIRE(target < n);
        ++seen.scored[target];
        seen.context_first[target] = slice.run->first;
        seen.segment_first[target] = slice.run->first + slice.offset;
        seen.position[target] = slice.run->position + offset;
      }
    }
  }
  return seen;
}

int64_t skipped(const EvaluationPlan& plan) {
  int64_t total = 0;
  for (const auto& [reason, count] : plan.skipped) total += count;
  return total;
}

struct Trial {
  TextShape text;
  PlanSettings settings;
};

Trial random_trial(std::mt19937& random) {
  std::vector<int64_t> documents(1 + random() % 6);
  for (int64_t& tokens : documents) tokens = static_cast<int64_t>(random() % 60);
  Trial trial{shape_of_documents(documents), {}};
  trial.settings.boundaries = random() % 2 == 0 ? Boundaries::kStream : Boundaries::kReset;
  trial.settings.segment_length = 1 + static_cast<int64_t>(random() % 9);
  if (random() % 3 != 0) trial.settings.lanes = 1 + static_cast<int64_t>(random() % 7);
  if (random() % 3 == 0) trial.settings.targets.predecessors = static_cast<int64_t>(random() % 20);
  if (random() % 3 == 0) trial.settings.targets.limit = static_cast<int64_t>(random() % 80);
  return trial;
}

// Per token: where the stretch that context may come from begins.
std::vector<int64_t> stretch_begins(const Trial& trial) {
  std::vector<int64_t> begins(static_cast<size_t>(trial.text.tokens), 0);
  if (trial.settings.boundaries == Boundaries::kStream) return begins;
  for (const auto& document : trial.text.documents) {
    std::fill_n(begins.begin() + document.first, document.tokens, document.first);
  }
  return begins;
}

// The chosen targets, one by one.
std::vector<int64_t> chosen_targets(const Trial& trial, const std::vector<int64_t>& begins) {
  const auto& limit = trial.settings.targets.limit;
  std::vector<int64_t> targets;
  for (int64_t t = 0; t < trial.text.tokens; ++t) {
    if (limit && static_cast<int64_t>(targets.size()) == *limit) break;
    const int64_t inputs_before = t - 1 - begins[static_cast<size_t>(t)];
    const bool has_input = inputs_before >= 0;
    if (has_input && inputs_before >= trial.settings.targets.predecessors) targets.push_back(t);
  }
  return targets;
}

void check_scored_once(const Seen& seen, const std::vector<int64_t>& targets) {
  std::vector<int> expected(seen.scored.size(), 0);
  for (const int64_t t : targets) expected[static_cast<size_t>(t)] = 1;
  CHECK(seen.scored == expected);
}

TEST_CASE("Memory plans score each chosen target once, with enough lead-in at the same phase") {
  std::mt19937 random(3);
  for (int trial_index = 0; trial_index < 500; ++trial_index) {
    Trial trial = random_trial(random);
    if (trial.settings.targets.predecessors == 0) {
      trial.settings.sequence_segments = static_cast<int64_t>(random() % 4);
    }
    LeadIn lead_in;
    if (random() % 4 != 0) lead_in.segments = static_cast<int64_t>(random() % 5);
    const EvaluationPlan plan = memory_plan(trial.text, trial.settings, lead_in);
    const std::vector<int64_t> begins = stretch_begins(trial);
    const std::vector<int64_t> targets = chosen_targets(trial, begins);
    const Seen seen = seen_by(plan, trial.text.tokens);
    check_scored_once(seen, targets);
    CHECK(plan.lanes.predictions() + skipped(plan) == trial.text.tokens);
    if (trial.settings.lanes) CHECK(plan.lanes.lanes() <= *trial.settings.lanes);

    const int64_t length = trial.settings.segment_length;
    const int64_t sequence = trial.settings.sequence_segments * length;
    for (const int64_t t : targets) {
      const auto at = static_cast<size_t>(t);
      const int64_t place = t - 1 - begins[at];
      const int64_t memory_begin = begins[at] + (sequence > 0 ? place / sequence * sequence : 0);
      const int64_t since = t - 1 - memory_begin;
      const int64_t segment = memory_begin + since / length * length;
      CHECK(seen.segment_first[at] == segment);
      CHECK(seen.position[at] == since);
      CHECK(seen.context_first[at] >= memory_begin);
      CHECK((seen.context_first[at] - memory_begin) % length == 0);
      const int64_t wanted = lead_in.segments
                                 ? std::max(memory_begin, segment - *lead_in.segments * length)
                                 : memory_begin;
      CHECK(seen.context_first[at] <= wanted);
    }
  }
}

TEST_CASE("A stream of bounded reach is cut evenly over the lanes that are asked for") {
  PlanSettings settings;
  settings.segment_length = 10;
  settings.lanes = 4;
  const EvaluationPlan plan = memory_plan(shape_of_documents({1201}), settings, {3});
  CHECK(plan.lanes.lanes() == 4);
  CHECK(plan.lanes.segments() == 33);
  CHECK(plan.lead_in == 30);
  CHECK(plan.lanes.predictions() == 1200);
  CHECK(plan.skipped.at("first_of_text") == 1);
}

TEST_CASE("Memory of unbounded reach gives a stream one lane and documents a lane each") {
  PlanSettings settings;
  settings.segment_length = 10;
  settings.lanes = 4;
  CHECK(memory_plan(shape_of_documents({601, 600}), settings, {}).lanes.lanes() == 1);
  settings.boundaries = Boundaries::kReset;
  const EvaluationPlan plan = memory_plan(shape_of_documents({601, 600}), settings, {});
  CHECK(plan.lanes.lanes() == 2);
  CHECK(plan.lead_in == 0);
  CHECK(plan.skipped.at("first_of_document") == 2);
}

TEST_CASE("Lanes chosen by themselves spend little on lead-ins") {
  for (const int64_t lead_in : {0, 1, 8, 40, 400}) {
    PlanSettings settings;
    settings.segment_length = 16;
    const EvaluationPlan plan = memory_plan(shape_of_documents({100001}), settings, {lead_in});
    CHECK(plan.lanes.lanes() <= 16);
    CHECK(plan.lanes.inputs() < 120000);
  }
}

TEST_CASE("Windows: first scores all, the others what is left, the last may be shorter") {
  // Start, inputs, first scored input, scored: as in the golden plans for N = 60.
  const auto rows = [](int64_t tokens, Window window) {
    PlanSettings settings;
    settings.lanes = 1;
    settings.segment_length = window.length;
    const EvaluationPlan plan = window_plan(shape_of_documents({tokens}), settings, window);
    std::vector<std::vector<int64_t>> list;
    for (const Run& run : plan.lanes.runs(0)) {
      list.push_back({run.first, run.count, run.first + run.lead_in, run.count - run.lead_in});
    }
    std::sort(list.begin(), list.end());
    return list;
  };
  CHECK(rows(60, {16, 16}) ==
        std::vector<std::vector<int64_t>>{
            {0, 16, 0, 16}, {16, 16, 16, 16}, {32, 16, 32, 16}, {48, 11, 48, 11}});
  CHECK(rows(60, {16, 8}) == std::vector<std::vector<int64_t>>{{0, 16, 0, 16},
                                                               {8, 16, 16, 8},
                                                               {16, 16, 24, 8},
                                                               {24, 16, 32, 8},
                                                               {32, 16, 40, 8},
                                                               {40, 16, 48, 8},
                                                               {48, 11, 56, 3}});
  CHECK(rows(60, {64, 32}) == std::vector<std::vector<int64_t>>{{0, 59, 0, 59}});
  CHECK(rows(60, {16, 1}).size() == 44);
  CHECK(rows(60, {16, 5}).size() == 10);
}

TEST_CASE("Window plans score each chosen target once, with W - s + 1 to W inputs") {
  std::mt19937 random(4);
  for (int trial_index = 0; trial_index < 500; ++trial_index) {
    Trial trial = random_trial(random);
    const int64_t length = 1 + static_cast<int64_t>(random() % 20);
    const Window window{length, 1 + static_cast<int64_t>(random()) % length};
    const EvaluationPlan plan = window_plan(trial.text, trial.settings, window);
    const std::vector<int64_t> begins = stretch_begins(trial);
    const std::vector<int64_t> targets = chosen_targets(trial, begins);
    const Seen seen = seen_by(plan, trial.text.tokens);
    check_scored_once(seen, targets);
    CHECK(plan.lanes.predictions() + skipped(plan) == trial.text.tokens);
    double visible = 0;
    for (const int64_t t : targets) {
      const auto at = static_cast<size_t>(t);
      const int64_t inputs = t - seen.context_first[at];
      const int64_t before = t - begins[at];
      visible += static_cast<double>(inputs);
      CHECK(inputs <= window.length);
      CHECK(inputs >= std::min(before, window.length - window.stride + 1));
      CHECK(seen.context_first[at] >= begins[at]);
      CHECK((seen.context_first[at] - begins[at]) % window.stride == 0);
    }
    if (!targets.empty()) {
      visible /= static_cast<double>(targets.size());
      CHECK(plan.mean_visible == Approx(visible));
    }
  }
}

TEST_CASE("Whole windows hold every chosen target, are cut nowhere and are the fewest that can") {
  std::mt19937 random(6);
  for (int trial_index = 0; trial_index < 500; ++trial_index) {
    Trial trial = random_trial(random);
    const int64_t length = 1 + static_cast<int64_t>(random() % 20);
    const Window window{length, 1 + static_cast<int64_t>(random()) % length};
    trial.settings.targets.predecessors = length - 1 + static_cast<int64_t>(random() % 3);
    const EvaluationPlan plan = whole_window_plan(trial.text, trial.settings, window);
    const std::vector<int64_t> begins = stretch_begins(trial);
    const Seen seen = seen_by(plan, trial.text.tokens);
    std::map<int64_t, int64_t> chosen;  // targets, by where their stretch begins
    for (const int64_t t : chosen_targets(trial, begins)) {
      CHECK(seen.scored[static_cast<size_t>(t)] == 1);
      ++chosen[begins[static_cast<size_t>(t)]];
    }
    CHECK(std::count_if(seen.scored.begin(), seen.scored.end(), [](int n) { return n > 1; }) == 0);
    int64_t fewest = 0;
    for (const auto& [begin, targets] : chosen) {
      fewest += (targets + window.stride - 1) / window.stride;
    }
    CHECK(plan.lanes.inputs() == fewest * window.length);
    CHECK(plan.lanes.predictions() == fewest * window.stride);
    CHECK(plan.lanes.predictions() + skipped(plan) == trial.text.tokens);
    for (int64_t lane = 0; lane < plan.lanes.lanes(); ++lane) {
      for (const Run& run : plan.lanes.runs(lane)) {
        CHECK(run.count == window.length);
        CHECK(run.lead_in == window.length - window.stride);
        // Its last target stands in the stretch of its first input.
        const int64_t begin = begins[static_cast<size_t>(run.first)];
        CHECK(begins[static_cast<size_t>(run.first + run.count)] == begin);
        CHECK(run.position == run.first - begin);
      }
    }
  }
}

TEST_CASE("Whole windows begin to score at the first target, or end with the text") {
  PlanSettings settings;
  settings.segment_length = 10;
  settings.lanes = 1;
  const auto firsts = [&](int64_t predecessors, int64_t limit) {
    settings.targets = {predecessors, limit};
    const EvaluationPlan plan = whole_window_plan(shape_of_documents({61}), settings, {10, 4});
    std::vector<int64_t> list;
    for (const Run& run : plan.lanes.runs(0)) list.push_back(run.first);
    std::sort(list.begin(), list.end());
    return list;
  };
  CHECK(firsts(20, 8) == std::vector<int64_t>{14, 18});
  CHECK(firsts(20, 9) == std::vector<int64_t>{14, 18, 22});
  CHECK(firsts(58, 9) == std::vector<int64_t>{50});          // 2 targets, inputs 58 and 59
  CHECK(firsts(51, 9) == std::vector<int64_t>{42, 46, 50});  // 9 targets: 12 from input 48 on
  CHECK(firsts(9, 1) == std::vector<int64_t>{3});
}

TEST_CASE("A context's window: c + 1 inputs, an eighth of it as stride") {
  CHECK(lc::context_window(0).length == 1);
  CHECK(lc::context_window(0).stride == 1);
  CHECK(lc::context_window(15).stride == 2);
  CHECK(lc::context_window(64).length == 65);
  CHECK(lc::context_window(64).stride == 8);
  CHECK(lc::context_window(1023).stride == 128);
}

TEST_CASE("Every length scores the same targets; each has c + 1 - s to c inputs before its own") {
  PlanSettings settings;
  settings.boundaries = Boundaries::kReset;
  settings.targets.predecessors = 40;
  const TextShape text = shape_of_documents({30, 200, 41, 42, 90});
  std::vector<int> first;
  for (const int64_t context : {0, 1, 7, 8, 16, 39, 40}) {
    const Window window = lc::context_window(context);
    const EvaluationPlan plan = window_plan(text, settings, window);
    const Seen seen = seen_by(plan, text.tokens);
    if (first.empty()) first = seen.scored;
    CHECK(seen.scored == first);
    for (int64_t t = 0; t < text.tokens; ++t) {
      const auto at = static_cast<size_t>(t);
      if (seen.scored[at] == 0) continue;
      const int64_t before = t - 1 - seen.context_first[at];
      CHECK(before <= context);
      CHECK(before >= context + 1 - window.stride);
    }
  }
  // 199 - 40, none, 41 - 40 and 89 - 40.
  CHECK(std::count(first.begin(), first.end(), 1) == 159 + 0 + 1 + 49);
}

TEST_CASE("Within reach: everything since memory began, at most reach inputs back") {
  PlanSettings settings;
  settings.segment_length = 5;
  settings.lanes = 3;
  const int64_t reach = 12;
  const EvaluationPlan plan = memory_plan(shape_of_documents({101}), settings, {3});
  double sum = 0;
  for (int64_t i = 0; i < 100; ++i) sum += static_cast<double>(std::min(i, reach) + 1);
  CHECK(mean_visible_in_reach(plan.lanes, reach) == Approx(sum / 100));
}

TEST_CASE("The reference's split: cold lanes, dropped tail, all tokens accounted for") {
  std::mt19937 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    PlanSettings settings;
    settings.lanes = 1 + static_cast<int64_t>(random() % 6);
    settings.segment_length = 1 + static_cast<int64_t>(random() % 9);
    if (random() % 2 == 0) settings.targets.limit = static_cast<int64_t>(random() % 50);
    const auto tokens = static_cast<int64_t>(random() % 80);
    const EvaluationPlan plan = lc::reference_plan(tokens, settings);
    const int64_t kept = std::min(tokens, settings.targets.limit.value_or(tokens) + 1);
    const int64_t rows = kept / *settings.lanes;
    CHECK(plan.lanes.predictions() == *settings.lanes * std::max<int64_t>(rows - 1, 0));
    CHECK(plan.lanes.predictions() + skipped(plan) == tokens);
  }
}

TEST_CASE("The reference's split takes limits and lanes far beyond the text") {
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
  PlanSettings settings;
  settings.segment_length = 5;
  settings.lanes = 4;
  const int64_t all = lc::reference_plan(80, settings).lanes.predictions();
  settings.targets.limit = kFar;
  CHECK(lc::reference_plan(80, settings).lanes.predictions() == all);
  settings.lanes = kFar;
  const EvaluationPlan none = lc::reference_plan(80, settings);
  CHECK(none.lanes.predictions() == 0);
  CHECK(skipped(none) == 80);
}

TEST_CASE("Memory plans take lanes and limits far beyond the text") {
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
  PlanSettings settings;
  settings.segment_length = 5;
  settings.lanes = kFar;
  settings.targets.limit = kFar;
  const EvaluationPlan plan = lc::memory_plan({80, {}}, settings, {0});
  CHECK(plan.lanes.predictions() == 79);
  CHECK(plan.lanes.lanes() == 16);
}

}  // namespace

#include "data/training_plan.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "catch.h"
#include "core/error.h"
#include "data/prepare.h"
#include "data/text_shape.h"

namespace {

using lc::Boundaries;
using lc::LanePlan;
using lc::LaneSplit;
using lc::Run;
using lc::TextShape;
using lc::TrainingPlanSettings;

std::vector<int64_t> random_documents(std::mt19937& random) {
  std::vector<int64_t> documents(1 + random() % 8);
  for (int64_t& tokens : documents) tokens = static_cast<int64_t>(random() % 40);
  documents.front() += 2;  // at least one prediction
  return documents;
}

// How often each token is a target.
std::vector<int> target_counts(const LanePlan& plan, int64_t tokens) {
  std::vector<int> counts(static_cast<size_t>(tokens), 0);
  for (int64_t b = 0; b < plan.lanes(); ++b) {
    for (const Run& run : plan.runs(b)) {
      for (int64_t i = run.lead_in; i < run.count; ++i) {
        ++counts.at(static_cast<size_t>(run.first + i + 1));
      }
    }
  }
  return counts;
}

TrainingPlanSettings plan_settings(const std::vector<std::string>& overrides) {
  lc::OptionTable table;
  table.add(lc::data_options());
  table.add({lc::Option::integer("train.lanes", 3), lc::Option::integer("train.segment_length", 5),
             lc::Option::integer("run.seed", 7)});
  return lc::training_plan_settings(lc::Config::read(table, "{}", "test", overrides));
}

TEST_CASE("Stream lanes predict every token but the first, once, in even contiguous lanes") {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const TextShape text = shape_of_documents(random_documents(random));
    TrainingPlanSettings settings;
    settings.lanes = 1 + static_cast<int64_t>(random() % 7);
    settings.segment_length = 1 + static_cast<int64_t>(random() % 9);
    settings.sequence_segments = static_cast<int64_t>(random() % 4);
    const LanePlan plan = training_plan(text, settings, 0);
    REQUIRE(plan.lanes() == settings.lanes);

    std::vector<int> expected(static_cast<size_t>(text.tokens), 1);
    expected[0] = 0;
    CHECK(target_counts(plan, text.tokens) == expected);

    int64_t next = 0;
    std::vector<int64_t> sizes;
    for (int64_t b = 0; b < plan.lanes(); ++b) {
      int64_t size = 0;
      for (const Run& run : plan.runs(b)) {
        // The last target of the part before is token `next`: the first input here.
        CHECK(run.first == next);
        next += run.count;
        size += run.count;
        const int64_t sequence = settings.sequence_segments * settings.segment_length;
        if (sequence > 0) {
          CHECK(run.count <= sequence);
          CHECK((run.count == sequence || &run == &plan.runs(b).back()));
        } else {
          CHECK(plan.runs(b).size() == 1);
        }
      }
      sizes.push_back(size);
    }
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    CHECK(*most - *least <= 1);
  }
}

TEST_CASE("In reset mode each document goes to the lane that is free first") {
  std::mt19937 random(2);
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<int64_t> documents = random_documents(random);
    const TextShape text = shape_of_documents(documents);
    TrainingPlanSettings settings;
    settings.boundaries = Boundaries::kReset;
    settings.lanes = 1 + static_cast<int64_t>(random() % 4);
    settings.segment_length = 1 + static_cast<int64_t>(random() % 9);
    const LanePlan plan = training_plan(text, settings, 0);

    std::vector<int> expected(static_cast<size_t>(text.tokens), 1);
    for (const auto& document : text.documents) {
      if (document.tokens > 0) expected[static_cast<size_t>(document.first)] = 0;
    }
    CHECK(target_counts(plan, text.tokens) == expected);

    // Segment by segment: a lane that has nothing left takes the next document.
    std::vector<std::vector<int64_t>> firsts(static_cast<size_t>(settings.lanes));
    std::vector<int64_t> left(static_cast<size_t>(settings.lanes), 0);
    size_t next = 0;
    while (next < documents.size()) {
      for (size_t b = 0; b < left.size(); ++b) {
        while (left[b] == 0 && next < documents.size()) {
          const int64_t inputs = documents[next] - 1;
          if (inputs > 0) {
            firsts[b].push_back(text.documents[next].first);
            left[b] = (inputs + settings.segment_length - 1) / settings.segment_length;
          }
          ++next;
        }
      }
      for (int64_t& segments : left) segments = std::max<int64_t>(segments - 1, 0);
    }
    for (int64_t b = 0; b < plan.lanes(); ++b) {
      std::vector<int64_t> found;
      for (const Run& run : plan.runs(b)) found.push_back(run.first);
      CHECK(found == firsts[static_cast<size_t>(b)]);
    }
  }
}

TEST_CASE("In reset mode memory begins anew every sequence_segments of a document") {
  TrainingPlanSettings settings;
  settings.boundaries = Boundaries::kReset;
  settings.segment_length = 3;
  settings.sequence_segments = 2;
  const LanePlan plan = training_plan(shape_of_documents({15, 4}), settings, 0);
  const std::vector<Run>& runs = plan.runs(0);
  REQUIRE(runs.size() == 4);
  CHECK(runs[0].first == 0);
  CHECK(runs[0].count == 6);
  CHECK(runs[1].first == 6);
  CHECK(runs[1].count == 6);
  CHECK(runs[2].first == 12);
  CHECK(runs[2].count == 2);
  CHECK(runs[3].first == 15);
  CHECK(runs[3].count == 3);
}

TEST_CASE("Shuffled documents: another order each epoch, the same for the same seed and epoch") {
  TrainingPlanSettings settings;
  settings.boundaries = Boundaries::kReset;
  settings.shuffle_documents = true;
  settings.segment_length = 4;
  settings.seed = 7;
  const TextShape text = shape_of_documents(std::vector<int64_t>(30, 9));
  const auto order = [&](int64_t epoch, uint64_t seed) {
    settings.seed = seed;
    std::vector<int64_t> firsts;
    const LanePlan plan = training_plan(text, settings, epoch);
    for (const Run& run : plan.runs(0)) firsts.push_back(run.first);
    return firsts;
  };
  std::set<std::vector<int64_t>> different;
  for (const uint64_t seed : {7, 8}) {
    for (const int64_t epoch : {0, 1, 2}) {
      std::vector<int64_t> firsts = order(epoch, seed);
      CHECK(firsts == order(epoch, seed));
      different.insert(firsts);
      std::sort(firsts.begin(), firsts.end());
      for (size_t d = 0; d < 30; ++d) CHECK(firsts.at(d) == static_cast<int64_t>(d) * 9);
    }
  }
  CHECK(different.size() == 6);
}

TEST_CASE("Documents are shuffled where they are apart, and shuffling a stream is refused") {
  const TrainingPlanSettings settings =
      plan_settings({"data.shuffle_documents=true", "data.boundaries=reset"});
  CHECK(settings.shuffle_documents);
  CHECK(settings.boundaries == Boundaries::kReset);
  CHECK(settings.lanes == 3);
  CHECK(settings.segment_length == 5);
  CHECK(settings.seed == 7);
  CHECK_FALSE(plan_settings({"data.boundaries=reset"}).shuffle_documents);
  CHECK_FALSE(plan_settings({}).shuffle_documents);
  try {
    plan_settings({"data.shuffle_documents=true"});
    FAIL("not refused");
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kUsage);
    CHECK(std::string(error.what()) ==
          "data.shuffle_documents: true orders the documents of reset mode, but data.boundaries is "
          "\"stream\"; set data.boundaries to \"reset\" or data.shuffle_documents to false");
  }
}

TEST_CASE("Every document is as likely first as any other") {
  TrainingPlanSettings settings;
  settings.boundaries = Boundaries::kReset;
  settings.shuffle_documents = true;
  const TextShape text = shape_of_documents({3, 3, 3, 3});
  std::vector<int> first(4, 0);
  for (int64_t epoch = 0; epoch < 4000; ++epoch) {
    const LanePlan plan = training_plan(text, settings, epoch);
    ++first.at(static_cast<size_t>(plan.runs(0).front().first / 3));
  }
  // 1000 each, standard deviation 27.
  for (const int count : first) CHECK(std::abs(count - 1000) < 150);
}

TEST_CASE("The reference's lane split drops the tail and each lane's first token") {
  TrainingPlanSettings settings;
  settings.lane_split = LaneSplit::kReference;
  settings.lanes = 4;
  settings.segment_length = 7;
  const LanePlan plan = training_plan(shape_of_documents({103}), settings, 0);
  CHECK(plan.segments() == 4);
  CHECK(plan.predictions() == 96);
  for (int64_t b = 0; b < 4; ++b) {
    REQUIRE(plan.runs(b).size() == 1);
    CHECK(plan.runs(b)[0].first == 25 * b);
    CHECK(plan.runs(b)[0].count == 24);
    CHECK(plan.slice(b, 3).count == 3);
  }
}

TEST_CASE("Lanes that fill no segment are told of with what would fill one") {
  TrainingPlanSettings settings;
  settings.lanes = 4;
  settings.segment_length = 7;
  const auto note = [&](const TextShape& text) {
    return short_lanes_note(training_plan(text, settings, 0)).value_or("");
  };
  CHECK(note(shape_of_documents({26})).empty());  // the first of four lanes has 7 predictions
  CHECK(note(shape_of_documents({25})) ==
        "train.segment_length: 7 tokens are more than the longest stretch that a lane reads, 6: "
        "segments end there, and nothing is carried from one to the next; take at most 6, fewer "
        "lanes (train.lanes) or a longer text");
  settings.boundaries = Boundaries::kReset;
  CHECK(note(shape_of_documents({3, 8})).empty());
  CHECK(!note(shape_of_documents({3, 7, 7, 7})).empty());
}

TEST_CASE("A text without a prediction is refused") {
  TrainingPlanSettings settings;
  CHECK_THROWS_AS(training_plan(shape_of_documents({1}), settings, 0), lc::Error);
  CHECK_THROWS_AS(training_plan(shape_of_documents({0}), settings, 0), lc::Error);
  settings.boundaries = Boundaries::kReset;
  CHECK_THROWS_AS(training_plan(shape_of_documents({1, 1, 1}), settings, 0), lc::Error);
  settings = {};
  settings.lane_split = LaneSplit::kReference;
  settings.lanes = 4;
  CHECK_THROWS_AS(training_plan(shape_of_documents({7}), settings, 0), lc::Error);
}

}  // namespace

#include "data/segment_stream.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <random>
#include <vector>

#include "catch.h"
#include "data/tiny_text.h"
#include "data/training_plan.h"

namespace {

using lc::LanePlan;
using lc::LossPart;
using lc::Run;
using lc::Segment;
using lc::SegmentStream;

LanePlan some_plan(int64_t segment_length) {
  return LanePlan({{{.first = 0, .count = 9, .lead_in = 4, .position = 20}},
                   {{.first = 10, .count = 3}, {.first = 30, .count = 5}},
                   {{.first = 50, .count = 1}}},
                  segment_length);
}

template <typename T>
T element(const at::Tensor& tensor, int64_t row, int64_t column) {
  return tensor[row][column].item<T>();
}

// The row of a lane, position by position, from the definition of runs and segments.
void check_row(const Segment& segment, int64_t row, const std::vector<Run>& runs,
               const TinyText& text, LossPart part, int64_t length) {
  int64_t left = segment.index;
  const Run* run = nullptr;
  for (const Run& candidate : runs) {
    const int64_t segments = (candidate.count + length - 1) / length;
    if (left < segments) {
      run = &candidate;
      break;
    }
    left -= segments;
  }
  const auto b = static_cast<size_t>(row);
  const int64_t offset = left * length;
  const int64_t count = run == nullptr ? 0 : std::min(length, run->count - offset);
  CHECK(segment.starts_B[b] == (run == nullptr || offset == 0));
  CHECK(segment.padded_B[b] == (count < segment.length()));
  if (run != nullptr) CHECK(segment.first_positions_B[b] == run->position + offset);
  for (int64_t t = 0; t < segment.length(); ++t) {
    const bool valid = t < count;
    CHECK(element<bool>(segment.valid_BT, row, t) == valid);
    const auto input = valid ? static_cast<size_t>(run->first + offset + t) : 0;
    CHECK(element<int64_t>(segment.inputs_BT, row, t) == (valid ? text.ids[input] : 0));
    CHECK(element<int64_t>(segment.targets_BT, row, t) == (valid ? text.ids[input + 1] : 0));
    const bool counts =
        valid && offset + t >= run->lead_in && (part == LossPart::kAll || t >= count / 2);
    CHECK(element<float>(segment.weights_BT, row, t) == (counts ? 1.0F : 0.0F));
  }
}

TEST_CASE("Segments hold the tokens, targets, weights and starts that the plan says") {
  const TinyText text = TinyText::of_documents({60}, 97);
  const lc::TokenFile file = text.file();
  for (const int64_t length : {1, 2, 3, 4, 9, 12}) {
    for (const LossPart part : {LossPart::kAll, LossPart::kSecondHalf}) {
      const LanePlan plan = some_plan(length);
      const SegmentStream stream(file, plan, 3, part);
      for (int64_t s = stream.segments() - 1; s >= 0; --s) {
        const Segment segment = stream.at(s);
        CHECK(segment.epoch == 3);
        CHECK(segment.index == s);
        CHECK(segment.end == lc::SegmentEnd::kFold);
        CHECK(segment.lanes_B == std::vector<int64_t>{0, 1, 2});
        for (int64_t b = 0; b < 3; ++b) {
          check_row(segment, b, plan.runs(b), text, part, length);
        }
      }
    }
  }
}

TEST_CASE("The loss counts each target as its document has it, lead-ins and padding never") {
  const lc::TokenFile file = TinyText::of_documents({14, 21, 25}, 97).file();
  const LanePlan plan = some_plan(4);
  for (const LossPart part : {LossPart::kAll, LossPart::kSecondHalf}) {
    const SegmentStream even(file, plan, 0, part);
    const SegmentStream weighed(file, plan, 0, {part, {.answer = 3, .text = 0.5F}});
    for (int64_t s = 0; s < even.segments(); ++s) {
      const Segment counted = even.at(s);
      const Segment segment = weighed.at(s);
      for (int64_t b = 0; b < plan.lanes(); ++b) {
        const LanePlan::Slice slice = plan.slice(b, s);
        for (int64_t t = 0; t < segment.length(); ++t) {
          const int64_t target = slice.run == nullptr ? 0 : slice.run->first + slice.offset + t + 1;
          const bool answer = (target >= 11 && target < 14) || (target >= 32 && target < 35) ||
                              (target >= 57 && target < 60);
          CHECK(element<float>(segment.weights_BT, b, t) ==
                element<float>(counted.weights_BT, b, t) * (answer ? 1.0F : 0.5F));
        }
      }
    }
  }
}

TEST_CASE("A range of lanes is those rows of the whole segment") {
  const lc::TokenFile file = TinyText::of_documents({60}, 97).file();
  const SegmentStream whole(file, some_plan(4), 0, LossPart::kAll);
  const SegmentStream part(file, some_plan(4), 0, LossPart::kAll, lc::LaneRange{1, 2});
  for (int64_t s = 0; s < whole.segments(); ++s) {
    const Segment expected = whole.at(s).rows(1, 2);
    const Segment found = part.at(s);
    CHECK(at::equal(found.inputs_BT, expected.inputs_BT));
    CHECK(at::equal(found.targets_BT, expected.targets_BT));
    CHECK(at::equal(found.valid_BT, expected.valid_BT));
    CHECK(at::equal(found.weights_BT, expected.weights_BT));
    CHECK(found.lanes_B == expected.lanes_B);
    CHECK(found.starts_B == expected.starts_B);
    CHECK(found.padded_B == expected.padded_B);
    CHECK(found.first_positions_B == expected.first_positions_B);
  }
}

TEST_CASE("Every prediction of a text has weight once, in any lanes, segments and documents") {
  std::mt19937 random(6);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<int64_t> sizes(1 + random() % 4);
    for (int64_t& tokens : sizes) tokens = 2 + static_cast<int64_t>(random() % 30);
    const TinyText text = TinyText::of_documents(sizes, 1000);
    lc::TrainingPlanSettings settings;
    settings.boundaries = random() % 2 == 0 ? lc::Boundaries::kStream : lc::Boundaries::kReset;
    settings.lanes = 1 + static_cast<int64_t>(random() % 4);
    settings.segment_length = 1 + static_cast<int64_t>(random() % 8);
    settings.sequence_segments = static_cast<int64_t>(random() % 3);
    const lc::TokenFile file = text.file();
    const SegmentStream stream(file, training_plan(file, settings, 0), 0, LossPart::kAll);
    double weight = 0;
    std::vector<int64_t> targets;
    for (int64_t s = 0; s < stream.segments(); ++s) {
      const Segment segment = stream.at(s);
      weight += segment.weights_BT.sum().item<double>();
      const at::Tensor counted = segment.targets_BT.masked_select(segment.weights_BT > 0);
      for (int64_t i = 0; i < counted.size(0); ++i) targets.push_back(counted[i].item<int64_t>());
    }
    // Ids are all different here, so that they name their place.
    std::vector<int64_t> expected;
    for (const auto& document : text.documents) {
      for (int64_t i = 0; i < document.tokens; ++i) {
        const bool skipped =
            settings.boundaries == lc::Boundaries::kReset ? i == 0 : document.first_token + i == 0;
        if (!skipped) expected.push_back(text.ids[static_cast<size_t>(document.first_token + i)]);
      }
    }
    std::sort(targets.begin(), targets.end());
    std::sort(expected.begin(), expected.end());
    CHECK(targets == expected);
    CHECK(weight == static_cast<double>(expected.size()));
  }
}

}  // namespace

#include "data/lane_plan.h"

#include <cstdint>
#include <vector>

#include "catch.h"

namespace {

using lc::LanePlan;
using lc::Run;

// Inputs of a lane one by one, with padding (-1) after each run: the slow, obvious version.
std::vector<int64_t> walk(const std::vector<Run>& runs, int64_t segment_length) {
  std::vector<int64_t> inputs;
  for (const Run& run : runs) {
    for (int64_t i = 0; i < run.count; ++i) inputs.push_back(run.first + i);
    while (static_cast<int64_t>(inputs.size()) % segment_length != 0) inputs.push_back(-1);
  }
  return inputs;
}

TEST_CASE("A lane plan finds the slice of every segment") {
  const std::vector<std::vector<Run>> lanes{
      {{.first = 0, .count = 5}, {.first = 10, .count = 1}, {.first = 30, .count = 12}},
      {{.first = 50, .count = 4}},
      {}};
  for (const int64_t length : {1, 2, 3, 4, 7, 20}) {
    const LanePlan plan(lanes, length);
    int64_t longest = 0;
    for (int64_t b = 0; b < 3; ++b) {
      const auto expected = walk(lanes[static_cast<size_t>(b)], length);
      const int64_t segments = static_cast<int64_t>(expected.size()) / length;
      longest = std::max(longest, segments);
      for (int64_t s = 0; s < segments + 2; ++s) {
        const LanePlan::Slice slice = plan.slice(b, s);
        if (s >= segments) {
          CHECK(slice.run == nullptr);
          CHECK(slice.count == 0);
          continue;
        }
        REQUIRE(slice.run != nullptr);
        for (int64_t t = 0; t < length; ++t) {
          const int64_t token = t < slice.count ? slice.run->first + slice.offset + t : -1;
          CHECK(token == expected[static_cast<size_t>(s * length + t)]);
        }
      }
    }
    CHECK(plan.segments() == longest);
  }
}

TEST_CASE("The longest segment of a lane plan is full where a run is as long") {
  const std::vector<std::vector<Run>> lanes{
      {{.first = 0, .count = 3}, {.first = 4, .count = 7}}, {{.first = 20, .count = 5}}, {}};
  CHECK(LanePlan(lanes, 2).longest_segment() == 2);
  CHECK(LanePlan(lanes, 7).longest_segment() == 7);
  CHECK(LanePlan(lanes, 10'000'000).longest_segment() == 7);
}

TEST_CASE("A lane plan counts predictions without the lead-ins and inputs with them") {
  const LanePlan plan({{{.first = 0, .count = 5, .lead_in = 2}, {.first = 9, .count = 3}},
                       {{.first = 20, .count = 4, .lead_in = 4}}},
                      2);
  CHECK(plan.predictions() == 6);
  CHECK(plan.inputs() == 12);
}

}  // namespace

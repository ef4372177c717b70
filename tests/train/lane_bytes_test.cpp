// What a dry run says of a lane, against the whole block gone through.
#include "train/lane_bytes.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "core/error.h"
#include "golden/golden_text.h"
#include "train/allocation_meter.h"
#include "train/small_model.h"

namespace {

// One lane of so many segments.
lc::SegmentStream lane_of(int64_t segments, int64_t tokens) {
  const int64_t inputs = segments * tokens;
  return {golden::text_of(small::tokens(1, inputs + 1)[0], small::kVocabulary),
          lc::LanePlan({{{.first = 0, .count = inputs}}}, tokens), 0, lc::LossPart::kAll};
}

// The definition: bytes that the graph of the whole lane holds, memory full before it.
double held_by_graph(const lc::LanguageModel& model, const lc::SegmentStream& lane) {
  const lc::StepOptions options{.training = true};
  std::vector<lc::Segment> block;
  for (int64_t i = 0; i < lane.segments(); ++i) {
    block.push_back(lane.at(i));
    block.back().starts_B[0] = 0;
  }
  lc::MemoryState full = model.initial_memory(1, lc::MemoryUse::kTraining).detach();
  {
    const c10::NoGradGuard no_gradients;
    for (int i = 0; i < 4; ++i) {
      full = model.step(block.front(), std::move(full), options).memory;
    }
  }
  std::vector<at::Tensor> losses;
  const auto meter = std::make_shared<lc::AllocationMeter>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, meter);
  lc::MemoryState memory = full.clone();
  for (const lc::Segment& segment : block) {
    lc::StepResult result = model.step(segment, std::move(memory), options);
    losses.push_back(result.nll_BT);
    memory = std::move(result.memory);
  }
  return static_cast<double>(meter->held());
}

double said_of_graph(const lc::LanguageModel& model, const lc::SegmentStream& lane) {
  const lc::LaneBytes bytes = lc::lane_bytes(model, lane, {}, lane.segments());
  return static_cast<double>(bytes.activations);
}

}  // namespace

TEST_CASE("a graph of long segments, or of many, is told from shorter ones", "[train]") {
  for (const std::string model_json : {
           R"({"type": "transformer_xl", "layers": 2, "d_model": 12, "heads": 2,
               "transformer_xl": {"memory_length": 5}})",
           R"({"type": "compressive", "layers": 2, "d_model": 12, "heads": 2,
               "compressive": {"memory_length": 8, "compressed_length": 4, "rate": 2}})",
           R"({"type": "infini", "layers": 2, "d_model": 12, "heads": 2})",
           R"({"type": "vanilla", "layers": 2, "d_model": 12, "heads": 2})"}) {
    const auto model = small::model_of(at::kFloat, model_json);
    // Measured as they are, then beyond what is measured.
    for (const auto& [segments, tokens] :
         std::vector<std::pair<int64_t, int64_t>>{{3, 16}, {1, 300}, {9, 16}, {1, 900}, {6, 600}}) {
      CAPTURE(model_json, segments, tokens);
      const lc::SegmentStream lane = lane_of(segments, tokens);
      CHECK(said_of_graph(*model, lane) == Approx(held_by_graph(*model, lane)).epsilon(0.01));
    }
  }
}

TEST_CASE("a lane's memory is that of full queues; replay holds one graph and a memory each",
          "[train]") {
  const auto model = small::model(at::kFloat, "");  // 2 layers of 5 inputs, 12 wide
  const int64_t memory = 2 * 5 * 12 * 4;
  const lc::SegmentStream lane = lane_of(9, 16);
  lc::TrainSettings settings;
  settings.bptt_mode = lc::BlockMode::kReplay;
  const lc::LaneBytes replayed = lc::lane_bytes(*model, lane, settings, 9);
  CHECK(replayed.memory == memory);
  const lc::LaneBytes one = lc::lane_bytes(*model, lane, {}, 1);
  CHECK(one.memory == memory);
  CHECK(replayed.activations == one.activations + 9 * memory);
  // A block is never longer than the epoch.
  CHECK(lc::lane_bytes(*model, lane, settings, 1000).activations == replayed.activations);
}

TEST_CASE("positions that a model has no place for are met in a long segment too", "[train]") {
  const auto model = small::model_of(at::kFloat, R"({"type": "vanilla", "layers": 1, "d_model": 12,
      "heads": 2, "positions": {"scheme": "learned", "max_positions": 700},
      "vanilla": {"positions": "stream"}})");
  CHECK_NOTHROW(said_of_graph(*model, lane_of(1, 700)));
  CHECK_THROWS_AS(said_of_graph(*model, lane_of(1, 701)), lc::Error);
}

#include "train/block_gradient.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <memory>

#include "catch.h"
#include "contract/zoo.h"
#include "train/allocation_meter.h"
#include "train/gradient.h"
#include "train/small_model.h"
#include "train/whole_update.h"

namespace {

using lc::BlockMode;
using lc::MemoryUse;

nlohmann::json wide_model() {
  return {{"type", "infini"},
          {"layers", 2},
          {"d_model", 32},
          {"heads", 2},
          {"d_head", 8},
          {"d_inner", 64},
          {"positions", {{"scheme", "rotary"}}}};
}

// Most bytes held at once while gradients of one block of so many segments are computed.
int64_t peak_bytes(const lc::LanguageModel& model, int64_t segments, BlockMode mode) {
  const int64_t length = 32;
  const at::Tensor text = zoo::tokens(2, segments * length + 1, 5);
  lc::Update update;
  update.blocks.emplace_back();
  for (int64_t s = 0; s < segments; ++s) {
    update.blocks[0].push_back(zoo::segment(text, s * length, length, s));
    update.weight += static_cast<double>(2 * length);
  }
  const auto meter = std::make_shared<lc::AllocationMeter>();
  {
    const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, meter);
    lc::add_gradients(model, update, model.initial_memory(2, MemoryUse::kTraining).detach(),
                      {.mode = mode});
  }
  small::take_gradients(model);
  return meter->peak();
}

}  // namespace

// That both ways back give the same is in gradient_test.cpp; without this it would show nothing.
TEST_CASE("memory passes gradients on in every model that has one", "[train]") {
  for (const zoo::Variant& variant : zoo::variants()) {
    if (!variant.carries_memory) continue;
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    const auto gradients = [&](const lc::Update& update) {
      lc::add_gradients(*model, update, model->initial_memory(8, MemoryUse::kTraining).detach(),
                        {});
      return small::take_gradients(*model);
    };
    const lc::Update together = small::ragged_update();
    lc::Update apart{{}, together.weight, together.tokens};
    for (const auto& block : together.blocks) {
      for (const lc::Segment& segment : block) apart.blocks.push_back({segment});
    }
    CHECK(small::relative_difference(gradients(apart), gradients(together)) > 1e-6);
  }
}

TEST_CASE("activation memory of replay doesn't grow with the segments of a block", "[train]") {
  const auto model = zoo::build(wide_model(), {at::kFloat, at::kCPU});
  const int64_t state = model->initial_memory(2, MemoryUse::kTraining).bytes();
  const int64_t graph_of_4 = peak_bytes(*model, 4, BlockMode::kGraph);
  const int64_t replay_of_4 = peak_bytes(*model, 4, BlockMode::kReplay);
  CHECK(peak_bytes(*model, 2, BlockMode::kReplay) <= replay_of_4);
  for (const int64_t segments : {8, 16}) {
    CAPTURE(segments, state, graph_of_4, replay_of_4);
    // What grows is the memory before each segment alone.
    CHECK(peak_bytes(*model, segments, BlockMode::kReplay) <= replay_of_4 + (segments - 4) * state);
    CHECK(peak_bytes(*model, segments, BlockMode::kGraph) > graph_of_4 * segments / 6);
  }
}

TEST_CASE("an update in which nothing counts leaves no gradients and moves memory on", "[train]") {
  for (const BlockMode mode : {BlockMode::kGraph, BlockMode::kReplay}) {
    const auto model = zoo::build(wide_model());
    const at::Tensor text = zoo::tokens(2, 9, 7);
    lc::Update update;
    update.blocks.push_back({zoo::segment(text, 0, 4, 0), zoo::segment(text, 4, 4, 1)});
    for (lc::Segment& segment : update.blocks[0]) segment.weights_BT.zero_();
    const auto result = lc::add_gradients(
        *model, update, model->initial_memory(2, MemoryUse::kTraining).detach(), {.mode = mode});
    CHECK(result.nats == 0.0);
    CHECK(result.memory.layer(0).queue("memory.matrix").slots.abs().max().item<double>() > 0.0);
    for (const lc::Parameter& parameter : model->parameters().all()) {
      CHECK(!parameter.value.grad().defined());
    }
  }
}

#include "train/block_gradient.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "catch.h"
#include "contract/zoo.h"
#include "train/allocation_meter.h"
#include "train/gradient.h"

namespace {

using lc::BlockMode;
using lc::MemoryUse;

// Blocks of four and of two segments over three lanes; lane 1 starts anew inside the first block,
// lane 2 ends in padding there and starts anew after it.
lc::Update two_blocks(const at::Tensor& text) {
  lc::Update update;
  for (int64_t s = 0; s < 6; ++s) {
    lc::Segment segment = zoo::segment(text, 4 * s, 4, s);
    if (s == 2) {
      segment.starts_B = {0, 1, 0};
      segment.padded_B = {0, 0, 1};
      segment.valid_BT[2][3] = false;
      segment.weights_BT[2][3] = 0;
    }
    if (s == 3) segment.starts_B = {0, 0, 1};
    if (s == 0 || s == 4) update.blocks.emplace_back();
    update.weight += segment.weights_BT.sum().item<double>();
    update.blocks.back().push_back(std::move(segment));
  }
  return update;
}

struct Outcome {
  double nats = 0;
  at::Tensor gradients;
  at::Tensor next;  // losses of the segment after the update
};

at::Tensor taken_gradients(const lc::LanguageModel& model) {
  std::vector<at::Tensor> parts;
  for (const lc::Parameter& parameter : model.parameters().all()) {
    const at::Tensor gradient = parameter.value.grad();
    parts.push_back((gradient.defined() ? gradient : at::zeros_like(parameter.value)).flatten());
    parameter.value.mutable_grad().reset();
  }
  return at::cat(parts);
}

Outcome outcome(const lc::LanguageModel& model, const lc::GradientOptions& options) {
  const at::Tensor text = zoo::tokens(3, 29, 31);
  auto result = lc::add_gradients(model, two_blocks(text),
                                  model.initial_memory(3, MemoryUse::kTraining).detach(), options);
  const c10::NoGradGuard no_gradient;
  const at::Tensor next =
      model.step(zoo::segment(text, 24, 4, 6), std::move(result.memory), {}).nll_BT;
  return {result.nats, taken_gradients(model), next};
}

double distance(const at::Tensor& a, const at::Tensor& b) {
  return ((a - b).norm() / b.norm()).item<double>();
}

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
  taken_gradients(model);
  return meter->peak();
}

}  // namespace

TEST_CASE("replay gives the gradients of the whole graph for every model, dropout on", "[train]") {
  for (zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    variant.model["dropout"] = 0.2;
    variant.model["attention_dropout"] = 0.2;
    const auto model = zoo::build(variant.model);
    const Outcome graph = outcome(*model, {.seed = 3});
    CHECK(graph.gradients.norm().item<double>() > 1e-3);
    for (const int64_t chunks : {1, 2}) {
      const Outcome replay =
          outcome(*model, {.seed = 3, .chunks = chunks, .mode = BlockMode::kReplay});
      CHECK(replay.nats == Approx(graph.nats).epsilon(1e-12));
      CHECK(distance(replay.gradients, graph.gradients) < 1e-11);
      CHECK(distance(replay.next, graph.next) < 1e-11);
    }
    if (!variant.carries_memory) continue;
    // Nothing would be shown if memory passed no gradients on: blocks of one segment differ.
    lc::Update apart;
    for (auto& block : two_blocks(zoo::tokens(3, 29, 31)).blocks) {
      for (lc::Segment& segment : block) {
        apart.weight += segment.weights_BT.sum().item<double>();
        apart.blocks.push_back({std::move(segment)});
      }
    }
    lc::add_gradients(*model, apart, model->initial_memory(3, MemoryUse::kTraining).detach(),
                      {.seed = 3});
    CHECK(distance(taken_gradients(*model), graph.gradients) > 1e-6);
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

// What is Infini-attention's own, beside the contract of all models and its golden cases.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <limits>

#include "catch.h"
#include "core/error.h"
#include "core/rng.h"
#include "models/registry.h"

namespace {

using Json = nlohmann::json;
using lc::MemoryUse;

constexpr int64_t kVocabulary = 11;
constexpr int64_t kLength = 6;

Json sizes(const std::string& type) {
  return {
      {"type", type}, {"layers", 2},   {"d_model", 12},   {"heads", 2},
      {"d_head", 4},  {"d_inner", 16}, {"init_std", 0.3}, {"positions", {{"scheme", "rotary"}}}};
}

std::unique_ptr<lc::LanguageModel> build(const Json& model, at::ScalarType dtype = at::kDouble) {
  lc::OptionTable table;
  table.add(lc::model_options());
  const auto config = lc::Config::read(table, Json{{"model", model}}.dump(), "test", {});
  return lc::build_model(config, {kVocabulary, {dtype, at::kCPU, 3}});
}

// Segment `index` of a text of two lanes; the first begins anew.
lc::Segment segment(int64_t index) {
  lc::Segment result;
  result.inputs_BT = at::empty({2, kLength}, at::kLong);
  for (int64_t i = 0; i < 2 * kLength; ++i) {
    const auto place = static_cast<uint64_t>(index * 2 * kLength + i);
    result.inputs_BT.mutable_data_ptr<int64_t>()[i] =
        static_cast<int64_t>(lc::hash_bits(place) % kVocabulary);
  }
  result.targets_BT = result.inputs_BT.roll({1}, {1});
  result.valid_BT = at::ones({2, kLength}, at::kBool);
  result.weights_BT = at::ones({2, kLength}, at::kFloat);
  result.starts_B.assign(2, index == 0);
  result.padded_B.assign(2, 0);
  result.lanes_B = {0, 1};
  result.first_positions_B.assign(2, index * kLength);
  result.index = index;
  return result;
}

// Losses of so many segments, memory carried.
struct Pass {
  std::vector<at::Tensor> nll;
  lc::MemoryState memory;
};
Pass run(const lc::LanguageModel& model, int64_t segments, const lc::StepOptions& options) {
  Pass pass{{}, model.initial_memory(2, MemoryUse::kTraining)};
  for (int64_t s = 0; s < segments; ++s) {
    auto result = model.step(segment(s), std::move(pass.memory), options);
    pass.nll.push_back(result.nll_BT);
    pass.memory = std::move(result.memory);
  }
  return pass;
}

at::Tensor queue(const lc::MemoryState& memory, std::string_view name) {
  return memory.layer(1).queue(name).slots;
}

}  // namespace

TEST_CASE("a closed gate is the model that sees its segment alone, dropout on") {
  for (const char* first_segment : {"bypass", "zero"}) {
    INFO(first_segment);
    Json closed = sizes("infini");
    closed["infini"] = {{"gate_init", -1e9}, {"first_segment", first_segment}};
    Json local = sizes("vanilla");
    for (Json* model : {&closed, &local}) {
      (*model)["dropout"] = 0.2;
      (*model)["attention_dropout"] = 0.3;
    }
    const c10::NoGradGuard no_gradient;
    const auto expected = run(*build(local), 4, {.training = true, .seed = 2});
    const auto actual = run(*build(closed), 4, {.training = true, .seed = 2});
    CHECK(at::equal(at::stack(actual.nll), at::stack(expected.nll)));
  }
}

TEST_CASE("an open gate hears the segment alone while nothing is stored, and memory after that") {
  Json open = sizes("infini");
  open["infini"] = {{"gate_init", 1e9}};
  const c10::NoGradGuard no_gradient;
  const auto heard = run(*build(open), 2, {});
  const auto local = run(*build(sizes("vanilla")), 2, {});
  CHECK(at::equal(heard.nll[0], local.nll[0]));
  CHECK((heard.nll[1] - local.nll[1]).abs().max().item<double>() > 1e-3);
}

TEST_CASE("gradients through memory differ from those with memory detached") {
  const auto model = build(sizes("infini"));
  const auto gradients = [&](bool detached) {
    auto memory = model->initial_memory(2, MemoryUse::kTraining);
    at::Tensor sum = at::zeros({}, at::kDouble);
    for (int64_t s = 0; s < 3; ++s) {
      auto result = model->step(segment(s), std::move(memory), {});
      memory = detached ? result.memory.detach() : std::move(result.memory);
      sum = sum + result.nll_BT.sum();
    }
    sum.backward();
    std::vector<at::Tensor> parts;
    for (const lc::Parameter& parameter : model->parameters().all()) {
      parts.push_back(parameter.value.grad().flatten());
      parameter.value.mutable_grad().reset();
    }
    return at::cat(parts);
  };
  const at::Tensor full = gradients(false);
  CHECK(((gradients(true) - full).norm() / full.norm()).item<double>() > 1e-3);
}

TEST_CASE("gates are a group of their own and start where the config says") {
  Json model = sizes("infini");
  model["infini"] = {{"gate_init", -3.0}};
  const auto built = build(model);
  int gates = 0;
  for (const lc::Parameter& parameter : built->parameters().all()) {
    CHECK((parameter.group == "gate") == parameter.name.ends_with(".attention.gate"));
    if (parameter.group != "gate") continue;
    ++gates;
    CHECK(at::equal(parameter.value.detach(), at::full({2}, -3.0, at::kDouble)));
  }
  CHECK(gates == 2);
}

TEST_CASE("positions that are added to hidden states are refused with the reason") {
  for (const char* scheme : {"sinusoidal", "learned", "learned_per_layer"}) {
    Json model = sizes("infini");
    model["positions"]["scheme"] = scheme;
    try {
      build(model);
      FAIL("built with " << scheme);
    } catch (const lc::Error& error) {
      CHECK(error.kind() == lc::ErrorKind::kUsage);
      const std::string text = error.what();
      CHECK(text.find("model.positions.scheme") != std::string::npos);
      CHECK(text.find(scheme) != std::string::npos);
      CHECK(text.find("rotary") != std::string::npos);
    }
  }
}

TEST_CASE("memory has the size of the formula, however much was stored") {
  const auto model = build(sizes("infini"), at::kFloat);
  const c10::NoGradGuard no_gradient;
  const int64_t layers = 2;
  const int64_t heads = 2;
  const int64_t d = 4;
  const int64_t lanes = 2;
  const int64_t numbers = layers * lanes * heads * d * (d + 1);
  const int64_t counters = layers * lanes;
  for (const int64_t segments : {0, 1, 9}) {
    CHECK(run(*model, segments, {}).memory.bytes() == 4 * numbers + 8 * counters);
  }
  CHECK(!model->reach(kLength).has_value());
}

TEST_CASE("a lane with padding ends empty, and the other keeps what it stored") {
  const auto model = build(sizes("infini"));
  const c10::NoGradGuard no_gradient;
  const Pass before = run(*model, 2, {});
  lc::Segment whole = segment(2);
  lc::Segment padded = segment(2);
  padded.valid_BT[1].narrow(0, 4, 2).fill_(false);
  padded.padded_B = {0, 1};
  const auto expected = model->step(whole, before.memory.clone(), {}).memory;
  const auto after = model->step(padded, before.memory.clone(), {}).memory;
  for (const char* name : {"memory.matrix", "memory.normalizer", "memory.tokens"}) {
    CHECK(at::equal(queue(after, name)[0], queue(expected, name)[0]));
    CHECK(queue(after, name)[1].abs().max().item<double>() == 0.0);
  }
  CHECK(queue(after, "memory.tokens")[0].item<int64_t>() == 3 * kLength);
}

TEST_CASE("the state is at least float32, so that sums of a long text go on growing") {
  const auto half = build(sizes("infini"), at::kBFloat16);
  const auto full = build(sizes("infini"), at::kFloat);
  const c10::NoGradGuard no_gradient;
  const auto rough = run(*half, 200, {});
  const auto exact = run(*full, 200, {});
  CHECK(queue(rough.memory, "memory.matrix").scalar_type() == at::kFloat);
  // In bfloat16 a sum of ones ends at 256; here every entry is that of some 1200 tokens.
  const at::Tensor ratio =
      queue(rough.memory, "memory.normalizer") / queue(exact.memory, "memory.normalizer");
  CHECK((ratio - 1).abs().max().item<double>() < 0.25);
  CHECK(queue(run(*build(sizes("infini")), 1, {}).memory, "memory.matrix").scalar_type() ==
        at::kDouble);
}

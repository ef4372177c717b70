// Cases of the Infini-attention family: see tests/golden/data/infini/README.md.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <stdexcept>

#include "catch.h"
#include "golden/reference_trunk.h"
#include "nn/infini/associative_memory.h"

namespace golden {
namespace {

using Json = nlohmann::json;

// What the README allows of the states: float32 counts relative to the largest value.
Limit state_limit(at::ScalarType dtype) {
  return dtype == at::kDouble ? Limit{1e-9, 1e-9} : Limit{0, 2e-6};
}

std::unique_ptr<lc::LanguageModel> model_of(const Case& golden, at::ScalarType dtype) {
  const Json& h = golden.json.at("hyperparameters");
  REQUIRE(h.at("denominator_min") == 1e-6);
  Json model = trunk_json(h, "infini");
  model["positions"] = {{"scheme", "rotary"}, {"rotary_base", h.at("rotary_base")}};
  model["infini"] = {{"memory_update", h.at("memory_update")},
                     {"normalizer_update", h.at("normalizer_update")},
                     {"first_segment", h.at("first_segment")}};
  return build(model, h.at("vocab_size").get<int64_t>(), dtype);
}

// One queue of all layers, [layer, ...].
at::Tensor stacked(const lc::MemoryState& memory, std::string_view name) {
  std::vector<at::Tensor> layers;
  for (int64_t l = 0; l < memory.layer_count(); ++l) {
    layers.push_back(memory.layer(l).queue(name).slots);
  }
  return at::stack(layers);
}

// Forward and gradient cases: detached is the trainer's part, done here between segments.
void run_model(const Case& golden, at::ScalarType dtype, bool detached) {
  const NameMap names = trunk_names({{"attention.beta", "attention.gate"}});
  const auto model = model_of(golden, dtype);
  load_weights(*model, golden.weights(), names);
  const auto count = golden.json.at("hyperparameters").at("n_segments").get<int64_t>();
  auto memory = model->initial_memory(golden.tensor("tokens").size(0), lc::MemoryUse::kTraining);
  std::vector<at::Tensor> nll;
  for (int64_t s = 0; s < count; ++s) {
    if (s + 1 == count && golden.has("expected.logits")) {
      check_last_logits(golden, *model, memory, trunk_limit(dtype, 5e-5));
    }
    auto result = model->step(trunk_segment(golden, s), std::move(memory), {});
    nll.push_back(result.nll_BT);
    memory = detached ? result.memory.detach() : std::move(result.memory);
    check(stacked(memory, "memory.matrix"), golden.tensor("expected.M")[s], state_limit(dtype),
          "M");
    check(stacked(memory, "memory.normalizer"), golden.tensor("expected.z")[s], state_limit(dtype),
          "z");
  }
  const at::Tensor nll_BSn = at::stack(nll, 1);
  check(nll_BSn, golden.tensor("expected.nll"), trunk_limit(dtype, 5e-5), "nll");
  if (!golden.json.contains("no_gradient")) return;
  nll_BSn.mean().backward();
  check_gradients(golden, *model, names, trunk_limit(dtype, 2e-6));
}

lc::WriteRule rule_of(const std::string& name) {
  lc::WriteRule rule;
  rule.update = name.starts_with("linear") ? lc::MemoryUpdate::kLinear : lc::MemoryUpdate::kDelta;
  rule.normalizer =
      name.ends_with("gamma") ? lc::NormalizerUpdate::kGamma : lc::NormalizerUpdate::kSum;
  return rule;
}

lc::AssociativeMemory empty_memory(int64_t heads, int64_t d_head, at::ScalarType dtype) {
  return {at::zeros({1, heads, d_head, d_head}, dtype), at::zeros({1, heads, d_head}, dtype)};
}

void run_by_hand(const Case& golden, at::ScalarType dtype) {
  const auto input = [&](const char* name) {  // [1, 1, position, 2]
    return golden.tensor(name).to(dtype).view({1, 1, -1, 2});
  };
  const Limit allowed = trunk_limit(dtype, 1e-5);
  for (const std::string rule : {"linear", "delta"}) {
    const auto agrees = [&](const at::Tensor& actual, const std::string& name) {
      check(actual[0][0], golden.tensor(rule + "." + name), allowed, rule + "." + name);
    };
    const auto first = lc::write_memory(empty_memory(1, 2, dtype), lc::memory_features(input("K1")),
                                        input("V1"), rule_of(rule));
    agrees(first.matrix_BHdd, "M1");
    agrees(first.normalizer_BHd, "z1");
    agrees(lc::read_memory(first, lc::memory_features(input("Q2"))), "A_mem2");
    const auto second =
        lc::write_memory(first, lc::memory_features(input("K2")), input("V2"), rule_of(rule));
    agrees(second.matrix_BHdd, "M2");
    agrees(second.normalizer_BHd, "z2");
  }
}

// Rows of every head, [1, H, copies, d].
at::Tensor rows(const at::Tensor& x_Hd, int64_t copies, at::ScalarType dtype) {
  return x_Hd.to(dtype).unsqueeze(0).unsqueeze(2).expand({1, -1, copies, -1});
}

void run_repeated_binding(const Case& golden, at::ScalarType dtype) {
  const at::Tensor k = lc::memory_features(rows(golden.tensor("k"), 1, dtype));
  const at::Tensor q = lc::memory_features(rows(golden.tensor("q"), 1, dtype));
  const at::Tensor v = rows(golden.tensor("v"), 1, dtype);
  const int64_t heads = golden.tensor("k").size(0);
  const int64_t d_head = golden.tensor("k").size(1);
  for (const Json& variant : golden.json.at("read_k_divided_by_v")) {
    const std::string rule = variant.at("memory_update").get<std::string>() + "_" +
                             variant.at("normalizer_update").get<std::string>();
    auto memory = empty_memory(heads, d_head, dtype);
    const Json& factors = variant.at("after_each_write");
    for (size_t i = 0; i < factors.size(); ++i) {
      memory = lc::write_memory(memory, k, v, rule_of(rule));
      const auto expected = [&](const std::string& name) {
        return golden.tensor(rule + "." + name)[static_cast<int64_t>(i)];
      };
      const at::Tensor read_k = lc::read_memory(memory, k)[0].select(1, 0);
      check(memory.matrix_BHdd[0], expected("M"), state_limit(dtype), rule + ".M");
      check(memory.normalizer_BHd[0], expected("z"), state_limit(dtype), rule + ".z");
      check(read_k, expected("read_k"), trunk_limit(dtype, 5e-6), rule + ".read_k");
      check(read_k, golden.tensor("v") * factors[i].get<double>(), trunk_limit(dtype, 5e-6),
            rule + " over v");
      check(lc::read_memory(memory, q)[0].select(1, 0), expected("read_q"),
            trunk_limit(dtype, 5e-6), rule + ".read_q");
    }
  }
}

void run_pair_twice(const Case& golden, at::ScalarType dtype) {
  const at::Tensor k = lc::memory_features(rows(golden.tensor("k"), 2, dtype));
  const at::Tensor v = rows(golden.tensor("v"), 2, dtype);
  for (const std::string rule : {"linear", "delta"}) {
    const std::string name = rule + "_pair_twice_in_each_of_two_segments";
    auto memory = empty_memory(k.size(1), k.size(3), dtype);
    for (int64_t s = 0; s < 2; ++s) {
      memory = lc::write_memory(memory, k, v, rule_of(rule));
      check(at::cat({memory.matrix_BHdd[0].flatten(1), memory.normalizer_BHd[0]}, 1),
            golden.tensor(name)[s], state_limit(dtype), name);
    }
  }
}

void run_sigma(const Case& golden, at::ScalarType dtype) {
  const at::Tensor x = golden.tensor("x").to(dtype).requires_grad_(true);
  const at::Tensor sigma = lc::memory_features(x);
  sigma.sum().backward();
  const double allowed = dtype == at::kDouble ? 1e-9 : 1e-6;
  // float32 holds what exp gives only down to its smallest normal number.
  const double smallest = dtype == at::kDouble ? 0 : 1.2e-38;
  const auto agrees = [&](const at::Tensor& actual, const std::string& name) {
    const at::Tensor& expected = golden.tensor("expected." + name);
    const at::Tensor scale = expected.abs().clamp_min(smallest / allowed);
    check(actual.detach().to(at::kDouble) / scale, expected / scale, allowed, name);
  };
  agrees(sigma, "sigma");
  agrees(x.grad(), "derivative");
}

}  // namespace

void run_infini(const Case& golden, at::ScalarType dtype) {
  const auto kind = golden.json.at("kind").get<std::string>();
  if (kind == "forward" || kind == "gradient_full") return run_model(golden, dtype, false);
  if (kind == "gradient_detached") return run_model(golden, dtype, true);
  if (kind == "function") return run_sigma(golden, dtype);
  if (kind != "memory") throw std::runtime_error("no test is registered for kind " + kind);
  if (golden.has("K1")) return run_by_hand(golden, dtype);
  run_repeated_binding(golden, dtype);
  run_pair_twice(golden, dtype);
}

}  // namespace golden

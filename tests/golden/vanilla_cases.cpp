// Cases of the vanilla family: see tests/golden/data/vanilla/README.md.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <stdexcept>

#include "catch.h"
#include "eval/evaluator.h"
#include "eval/plans.h"
#include "golden/golden_text.h"
#include "golden/reference_trunk.h"

namespace golden {
namespace {

using Json = nlohmann::json;

Json model_json(const Json& h) {
  Json positions{{"scheme", h.at("position_scheme")}};
  for (const char* key :
       {"rotary_base", "max_positions", "t5_num_buckets", "t5_max_distance", "shaw_clip"}) {
    if (h.contains(key)) positions[key] = h.at(key);
  }
  if (!h.at("scale_scores").get<bool>()) positions["score_scaling"] = "none";
  Json model = trunk_json(h, "vanilla");
  model["positions"] = positions;
  model["vanilla"] = {{"attention_window", h.at("attention_window")},
                      {"positions", h.at("positions") == "stream" ? "stream" : "segment"}};
  return model;
}

std::vector<std::string> our_names(const std::string& name) {
  if (name == "position.table.weight") return {"positions.table.weight"};
  if (name == "position.t5_bias.weight") return {"positions.t5_bias.weight"};
  return trunk_names({{"attention.shaw_key", "positions.shaw_key"},
                      {"attention.shaw_value", "positions.shaw_value"}})(name);
}

std::unique_ptr<lc::LanguageModel> model_of(const Case& golden, at::ScalarType dtype) {
  const Json& h = golden.json.at("hyperparameters");
  auto model = build(model_json(h), h.at("vocab_size").get<int64_t>(), dtype);
  load_weights(*model, golden.weights(), our_names);
  return model;
}

void run_forward(const Case& golden, at::ScalarType dtype) {
  const Json& h = golden.json.at("hyperparameters");
  REQUIRE(h.at("position_start") == 0);
  const auto model = model_of(golden, dtype);
  const auto count = h.at("n_segments").get<int64_t>();
  auto memory = model->initial_memory(golden.tensor("tokens").size(0), lc::MemoryUse::kTraining);
  std::vector<at::Tensor> nll;
  for (int64_t s = 0; s < count; ++s) {
    if (s + 1 == count) check_last_logits(golden, *model, memory, trunk_limit(dtype, 5e-5));
    auto result = model->step(trunk_segment(golden, s), std::move(memory), {});
    nll.push_back(result.nll_BT);
    memory = std::move(result.memory);
  }
  const at::Tensor nll_BSn = at::stack(nll, 1);
  check(nll_BSn, golden.tensor("expected.nll"), trunk_limit(dtype, 5e-5), "nll");
  if (!golden.json.contains("no_gradient")) return;
  nll_BSn.mean().backward();
  check_gradients(golden, *model, our_names, trunk_limit(dtype, 2e-6));
}

void run_sliding(const Case& golden, at::ScalarType dtype) {
  const auto model = model_of(golden, dtype);
  const at::Tensor& stream = golden.tensor("stream");
  const lc::TokenFile text = text_of(stream, model->vocab_size());
  for (const Json& evaluation : golden.json.at("hyperparameters").at("evaluations")) {
    const auto window = evaluation.at("window").get<int64_t>();
    const auto stride = evaluation.at("stride").get<int64_t>();
    const std::string prefix =
        "window_" + std::to_string(window) + "_stride_" + std::to_string(stride) + ".";
    for (const int64_t lanes : {1, 3}) {
      INFO(prefix << " in " << lanes << " lanes");
      lc::PlanSettings settings;
      settings.segment_length = window;
      settings.lanes = lanes;
      const lc::EvaluationPlan plan =
          lc::window_plan(lc::text_shape(text), settings, {window, stride});
      lc::ModelScorer scorer(*model);
      const lc::TokenScores scores = lc::score_plan(scorer, text, plan);
      check(at::tensor(scores.nll, at::kDouble), golden.tensor(prefix + "nll"),
            trunk_limit(dtype, 5e-5), prefix + "nll");
      CHECK(plan.mean_visible ==
            Approx(golden.tensor(prefix + "context_length").to(at::kDouble).mean().item<double>()));
      if (lanes == 1) {
        const at::Tensor& expected = golden.tensor(prefix + "plan");
        std::vector<int64_t> rows;
        for (int64_t s = 0; s < plan.lanes.segments(); ++s) {
          const auto slice = plan.lanes.slice(0, s);
          const lc::Run& run = *slice.run;
          rows.insert(rows.end(),
                      {run.first, run.count, run.first + run.lead_in, run.count - run.lead_in});
        }
        CHECK(at::equal(at::tensor(rows, at::kLong).view({-1, 4}), expected));
      }
    }
  }
}

}  // namespace

void run_vanilla(const Case& golden, at::ScalarType dtype) {
  const auto kind = golden.json.at("kind").get<std::string>();
  if (kind == "forward") return run_forward(golden, dtype);
  if (kind == "sliding_window") return run_sliding(golden, dtype);
  throw std::runtime_error("no test is registered for kind " + kind);
}

}  // namespace golden

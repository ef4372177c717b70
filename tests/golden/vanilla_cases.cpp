// Cases of the vanilla family: see tests/golden/data/vanilla/README.md.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <stdexcept>

#include "catch.h"
#include "eval/evaluator.h"
#include "eval/plans.h"
#include "golden/agreement.h"
#include "golden/golden_case.h"
#include "golden/golden_model.h"
#include "golden/golden_text.h"

namespace golden {
namespace {

// Float64 limits count relative to the largest value where that is above 1; float32 ones don't.
Limit allowed(at::ScalarType dtype, double float32) {
  return dtype == at::kDouble ? Limit{1e-9, 1e-9} : Limit{float32, 0};
}

using Json = nlohmann::json;

Json model_json(const Json& h) {
  Json positions{{"scheme", h.at("position_scheme")}};
  for (const char* key :
       {"rotary_base", "max_positions", "t5_num_buckets", "t5_max_distance", "shaw_clip"}) {
    if (h.contains(key)) positions[key] = h.at(key);
  }
  if (!h.at("scale_scores").get<bool>()) positions["score_scaling"] = "none";
  return {{"type", "vanilla"},
          {"layers", h.at("n_layers")},
          {"d_model", h.at("d_model")},
          {"heads", h.at("n_heads")},
          {"d_head", h.at("d_head")},
          {"d_inner", h.at("d_inner")},
          {"norm_eps", h.at("layer_norm_epsilon")},
          {"positions", positions},
          {"vanilla",
           {{"attention_window", h.at("attention_window")},
            {"positions", h.at("positions") == "stream" ? "stream" : "segment"}}}};
}

std::vector<std::string> our_names(const std::string& name) {
  if (name == "embedding.weight") return {"embedding.0.weight"};
  if (name == "output.bias") return {"output.0.bias"};
  if (name == "position.table.weight") return {"positions.table.weight"};
  if (name == "position.t5_bias.weight") return {"positions.t5_bias.weight"};
  if (!name.starts_with("layers.")) throw std::runtime_error("unknown weight " + name);
  const size_t dot = name.find('.', 7);
  const std::string layer = name.substr(0, dot + 1);
  const std::string rest = name.substr(dot + 1);
  const auto replaced = [&](const std::string& from, const std::string& to) {
    return std::vector<std::string>{layer + to + rest.substr(from.size())};
  };
  const std::vector<std::pair<std::string, std::string>> map{
      {"attention.q", "attention.query"},
      {"attention.k", "attention.key"},
      {"attention.v", "attention.value"},
      {"attention.o", "attention.output"},
      {"attention.shaw_key", "positions.shaw_key"},
      {"attention.shaw_value", "positions.shaw_value"},
      {"attention_norm", "attention.norm"},
      {"ffn.1", "feed_forward.up"},
      {"ffn.2", "feed_forward.down"},
      {"ffn_norm", "feed_forward.norm"}};
  for (const auto& [from, to] : map) {
    if (rest.starts_with(from + ".")) return replaced(from, to);
  }
  throw std::runtime_error("unknown weight " + name);
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
  const auto length = h.at("segment_length").get<int64_t>();
  const at::Tensor& tokens = golden.tensor("tokens");
  auto memory = model->initial_memory(tokens.size(0), lc::MemoryUse::kTraining);
  std::vector<at::Tensor> nll;
  for (int64_t s = 0; s < count; ++s) {
    lc::Segment made = segment(tokens.narrow(1, s * length, length),
                               tokens.narrow(1, s * length + 1, length), Begin::kGoesOn);
    made.first_positions_B.assign(made.lanes_B.size(), s * length);
    if (s + 1 == count) {
      // Logits of every position of the last segment: from a pass over each of its beginnings.
      const c10::NoGradGuard no_gradient;
      for (int64_t t = 0; t < length; ++t) {
        lc::Segment part = segment(tokens.narrow(1, s * length, t + 1),
                                   tokens.narrow(1, s * length + 1, t + 1), Begin::kGoesOn);
        part.first_positions_B = made.first_positions_B;
        check(model->logits(part, memory.clone()).logits_BV,
              golden.tensor("expected.logits").select(1, t).log_softmax(-1), allowed(dtype, 5e-5),
              "logits");
      }
    }
    auto result = model->step(made, std::move(memory), {});
    nll.push_back(result.nll_BT);
    memory = std::move(result.memory);
  }
  const at::Tensor nll_BSn = at::stack(nll, 1);
  check(nll_BSn, golden.tensor("expected.nll"), allowed(dtype, 5e-5), "nll");
  if (!golden.json.contains("no_gradient")) return;
  nll_BSn.mean().backward();
  for (const auto& [name, expected] : golden.tensors) {
    if (!name.starts_with("grad.")) continue;
    check(gather(*model, our_names(name.substr(5)),
                 [](const lc::Parameter& parameter) { return parameter.value.grad(); }),
          expected, allowed(dtype, 2e-6), name);
  }
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
            allowed(dtype, 5e-5), prefix + "nll");
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

#include "golden/training_trace.h"

#include <ATen/ATen.h>

#include "catch.h"
#include "data/segment_stream.h"
#include "golden/agreement.h"
#include "golden/golden_text.h"
#include "models/registry.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"

namespace golden {
namespace {

using Json = nlohmann::json;

lc::Config optim_config(const Json& training) {
  lc::OptionTable table;
  table.add(lc::optim_options(lc::parameter_groups()));
  const Json optim{{"name", training.at("optimizer")},
                   {"lr", training.at("learning_rate")},
                   {"betas", {training.at("beta1"), training.at("beta2")}},
                   {"eps", training.at("epsilon")},
                   {"weight_decay", training.at("weight_decay")},
                   {"clip_norm", training.at("clip_norm")},
                   {"schedule",
                    {{"name", training.at("schedule")},
                     {"convention", "reference"},
                     {"warmup_steps", training.value("warmup_steps", 0)},
                     {"total_steps", training.value("max_steps", Json(1000))},
                     {"min_lr", training.value("eta_min", 0.0)}}}};
  return lc::Config::read(table, Json{{"optim", optim}}.dump(), "golden case", {});
}

}  // namespace

void check_training_trace(const Case& golden, lc::LanguageModel& model, at::ScalarType dtype,
                          const NameMap& names) {
  const Json& h = golden.json.at("hyperparameters");
  const lc::Config config = optim_config(golden.json.at("training"));
  const lc::ScheduleSettings schedule = lc::schedule_settings(config, {});
  std::vector<lc::OptimizedParameter> parameters;
  for (const lc::Parameter& parameter : model.parameters().all()) {
    parameters.push_back({parameter.name, parameter.group, parameter.value});
  }
  lc::Optimizer optimizer(config, parameters, lc::UpdatePath::kFusedWherePossible);

  const at::Tensor& stream = golden.tensor("stream");
  const auto lanes = h.at("batch_size").get<int64_t>();
  const lc::SegmentStream segments(
      text_of(stream, model.vocab_size()),
      reference_plan(stream.size(0), lanes, h.at("segment_length").get<int64_t>()), 0,
      lc::LossPart::kAll);
  lc::MemoryState memory = model.initial_memory(lanes, lc::MemoryUse::kTraining);
  const double allowed = limit(dtype, 1e-9, 1e-5);
  int64_t update = 0;
  for (const Json& step : golden.json.at("steps")) {
    INFO("step " << step.at("step"));
    // The first segment of an epoch starts its lanes anew.
    auto result = model.step(segments.at(update % segments.segments()), std::move(memory),
                             {.training = true});
    memory = result.memory.detach();
    CHECK(result.nll_BT.size(1) == step.at("length").get<int64_t>());
    const at::Tensor loss = result.nll_BT.mean();
    loss.backward();
    const double rate = lc::learning_rate(schedule, update++);
    const auto report = optimizer.step(rate);
    CHECK(near(rate, step.at("learning_rate").get<double>(), 1e-15));
    CHECK(near(loss.item<double>(), step.at("loss").get<double>(), allowed));
    CHECK(near(report.grad_norm, step.at("grad_norm").get<double>(), allowed));
    CHECK(near(report.clip_factor, step.at("clip_factor").get<double>(), allowed));
  }
  const auto value = [](const lc::Parameter& parameter) { return parameter.value.detach(); };
  for (const auto& [name, norm] : golden.json.at("final_norms").items()) {
    const double actual = gather(model, names(name), value).to(at::kDouble).norm().item<double>();
    INFO(name);
    INFO("norm " << actual << " instead of " << norm << ", off by " << actual - norm.get<double>());
    CHECK(near(actual, norm.get<double>(), limit(dtype, 1e-9, 2e-4)));
  }
  if (dtype != at::kDouble) return;
  for (const auto& [name, expected] : golden.tensors) {
    if (!name.starts_with("final.")) continue;
    check(gather(model, names(name.substr(6)), value), expected, allowed, name);
  }
}

}  // namespace golden

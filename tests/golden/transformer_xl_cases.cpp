// Cases of the Transformer-XL family: see tests/golden/data/transformer_xl/README.md.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <stdexcept>

#include "catch.h"
#include "data/segment_stream.h"
#include "golden/agreement.h"
#include "golden/golden_case.h"
#include "golden/golden_model.h"
#include "golden/golden_text.h"
#include "golden/training_trace.h"
#include "nn/positions/angles.h"
#include "nn/positions/xl_relative.h"

namespace golden {

std::vector<std::string> kimiyoung_names(const std::string& name);

namespace {

using Json = nlohmann::json;

// The model section of the reference's hyperparameters, with some of them set otherwise.
Json model_json(const Json& reference, const Json& overrides = Json::object()) {
  Json h = reference;
  h.update(overrides);
  const bool same_length = h.at("same_length").get<bool>();
  Json model{
      {"type", "transformer_xl"},
      {"layers", h.at("n_layers")},
      {"d_model", h.at("d_model")},
      {"heads", h.at("n_heads")},
      {"d_head", h.at("d_head")},
      {"d_inner", h.at("d_inner")},
      {"d_embed", h.at("d_embed")},
      {"norm", h.at("pre_layer_norm").get<bool>() ? "pre" : "post"},
      {"norm_eps", h.at("layer_norm_epsilon")},
      {"tie_weights", h.at("tie_weights")},
      {"adaptive",
       {{"cutoffs", h.at("cutoffs")},
        {"divisor", h.at("embedding_divisor")},
        {"tie_projections", h.at("tie_projections")}}},
      {"transformer_xl",
       {{"memory_length", h.at("memory_length")},
        {"attention_span", same_length ? "reference" : "segment"}}},
  };
  model["positions"] = {{"scheme", "xl_relative"}};
  if (h.contains("window")) {
    model["type"] = "vanilla";
    model["vanilla"] = {{"attention_window", h.at("window")}};
  }
  const auto clamp = h.at("clamp_length").get<int64_t>();
  if (clamp > 0) model["positions"]["clamp_length"] = clamp;
  return model;
}

int64_t vocab_size(const Case& golden) {
  return golden.json.at("hyperparameters").at("vocab_size").get<int64_t>();
}

std::unique_ptr<lc::LanguageModel> model_of(const Case& golden, at::ScalarType dtype,
                                            const Json& overrides = Json::object()) {
  const Json& h = golden.json.at("hyperparameters");
  auto model = build(model_json(h, overrides), vocab_size(golden), dtype);
  std::vector<std::pair<std::string, at::Tensor>> weights;
  const Json tied = golden.json.value("tied_weights", Json::object());
  for (const auto& entry : golden.weights()) {
    if (!tied.contains(entry.first)) weights.push_back(entry);
  }
  load_weights(*model, weights, kimiyoung_names);
  return model;
}

// Ours are [B, slots, D] per layer; the reference's [L + 1, slots, B, D], its last never read.
at::Tensor stacked_memory(const lc::MemoryState& memory) {
  std::vector<at::Tensor> layers;
  for (int64_t l = 0; l < memory.layer_count(); ++l) {
    layers.push_back(memory.layer(l).queue("memory").slots.transpose(0, 1));
  }
  return at::stack(layers);
}

class HiddenProbe : public lc::Probe {
 public:
  void observe(std::string_view name, int64_t, const at::Tensor& value) override {
    if (name == "hidden") last = value;
  }
  at::Tensor last;
};

lc::Segment segment_of(const Case& golden, const std::string& prefix, Begin begin) {
  return segment(golden.tensor(prefix + "input").t(), golden.tensor(prefix + "target").t(), begin);
}

void run_forward(const Case& golden, at::ScalarType dtype) {
  const c10::NoGradGuard no_gradient;
  const auto model = model_of(golden, dtype);
  CHECK(model->parameters().count() == golden.json.at("parameter_count").get<int64_t>());
  const double allowed = limit(dtype, 1e-10, 5e-5);
  const auto lanes = golden.json.at("hyperparameters").at("batch_size").get<int64_t>();
  auto memory = model->initial_memory(lanes, lc::MemoryUse::kTraining);
  for (const Json& entry : golden.json.at("segments")) {
    const auto index = entry.at("index").get<int64_t>();
    const std::string prefix = "seg" + std::to_string(index) + ".";
    HiddenProbe probe;
    auto result = model->step(segment_of(golden, prefix, Begin::kGoesOn), std::move(memory),
                              {.training = false, .seed = 0, .probe = &probe});
    check(result.nll_BT.t(), golden.tensor(prefix + "nll"), allowed, prefix + "nll");
    check(probe.last.transpose(0, 1), golden.tensor(prefix + "hidden"), allowed, prefix + "hidden");
    if (golden.has(prefix + "mems")) {
      const at::Tensor& mems = golden.tensor(prefix + "mems");
      check(stacked_memory(result.memory), mems.narrow(0, 0, mems.size(0) - 1), allowed,
            prefix + "mems");
    }
    CHECK(near(result.nll_BT.mean().item<double>(), entry.at("mean_nll").get<double>(),
               limit(dtype, 1e-10, 1e-5)));
    memory = std::move(result.memory);
  }
}

void run_gradient(const Case& golden, at::ScalarType dtype) {
  const auto model = model_of(golden, dtype);
  const auto lanes = golden.json.at("hyperparameters").at("batch_size").get<int64_t>();
  const auto last = golden.json.at("gradient_segment").get<int64_t>();
  auto memory = model->initial_memory(lanes, lc::MemoryUse::kTraining);
  for (int64_t i = 0; i < last; ++i) {
    memory = model
                 ->step(segment_of(golden, "seg" + std::to_string(i) + ".", Begin::kGoesOn),
                        std::move(memory), {})
                 .memory.detach();
  }
  const std::string prefix = "seg" + std::to_string(last) + ".";
  auto result = model->step(segment_of(golden, prefix, Begin::kGoesOn), std::move(memory),
                            {.training = true});
  const at::Tensor loss = result.nll_BT.mean();
  loss.backward();
  check(result.nll_BT.t(), golden.tensor(prefix + "nll"), limit(dtype, 1e-10, 5e-5), "nll");
  check(loss, golden.tensor("loss"), limit(dtype, 1e-10, 1e-5), "loss");
  at::Tensor squares = at::zeros({}, at::kDouble);
  for (const lc::Parameter& parameter : model->parameters().all()) {
    squares += parameter.value.grad().to(at::kDouble).square().sum();
  }
  check(squares.sqrt(), golden.tensor("grad_total_norm"), limit(dtype, 1e-10, 1e-5), "norm");
  for (const auto& [name, expected] : golden.tensors) {
    if (!name.starts_with("grad.")) continue;
    const at::Tensor actual =
        gather(*model, kimiyoung_names(name.substr(5)),
               [](const lc::Parameter& parameter) { return parameter.value.grad(); });
    const double largest = expected.abs().max().item<double>();
    check(actual, expected, limit(dtype, 1e-10, std::max(1e-5, 2e-5 * largest)), name);
  }
}

void run_evaluation(const Case& golden, at::ScalarType dtype) {
  const c10::NoGradGuard no_gradient;
  const at::Tensor& stream = golden.tensor("stream");
  for (const Json& setting : golden.json.at("settings")) {
    Json overrides;
    for (const char* key : {"memory_length", "same_length", "clamp_length"}) {
      if (setting.contains(key)) overrides[key] = setting.at(key);
    }
    const auto lanes = setting.at("batch_size").get<int64_t>();
    // A single pass is a window of visible_keys over the whole lane, without memory.
    const bool single_pass = setting.at("method") == "single_pass";
    const int64_t length =
        single_pass ? stream.size(0) / lanes : setting.at("segment_length").get<int64_t>();
    if (single_pass) overrides["window"] = setting.at("visible_keys");
    const auto model = model_of(golden, dtype, overrides);
    const auto name = setting.at("nll").get<std::string>();
    INFO("setting " << setting.at("name"));
    const at::Tensor nll = score_lanes(*model, text_of(stream, vocab_size(golden)),
                                       reference_plan(stream.size(0), lanes, length));
    check(nll, golden.tensor(name), limit(dtype, 1e-10, 5e-5), name);
    CHECK(near(nll.mean().item<double>(), setting.at("mean_nll").get<double>(),
               limit(dtype, 1e-10, 1e-5)));
  }
}

void run_iterator(const Case& golden) {
  for (const Json& iterator : golden.json.at("iterators")) {
    const at::Tensor& stream = golden.tensor(iterator.at("stream").get<std::string>());
    const int64_t largest = stream.max().item<int64_t>();
    const auto plan = reference_plan(stream.size(0), iterator.at("batch_size").get<int64_t>(),
                                     iterator.at("segment_length").get<int64_t>());
    const Json& steps = iterator.at("steps");
    INFO("iterator " << iterator.at("name"));
    REQUIRE(plan.segments() == static_cast<int64_t>(steps.size()));
    CHECK(plan.predictions() == iterator.at("scored_tokens").get<int64_t>());
    const lc::SegmentStream segments(text_of(stream, largest + 1), plan, 0, lc::LossPart::kAll);
    for (size_t s = 0; s < steps.size(); ++s) {
      const lc::Segment made = segments.at(static_cast<int64_t>(s));
      CHECK(at::equal(made.inputs_BT.t(), golden.tensor(steps[s].at("input"))));
      CHECK(at::equal(made.targets_BT.t(), golden.tensor(steps[s].at("target"))));
    }
  }
}

void run_shift(const Case& golden) {
  for (const Json& pair : golden.json.at("pairs")) {
    const at::Tensor raw = golden.tensor(pair.at("input")).permute({2, 3, 0, 1});
    const at::Tensor expected = golden.tensor(pair.at("output")).permute({2, 3, 0, 1});
    const at::Tensor widened = at::constant_pad_nd(raw, {1, 0}, 0).contiguous();
    CHECK(at::equal(lc::relative_shift(widened), expected));
  }
}

void run_sinusoid(const Case& golden, at::ScalarType dtype) {
  for (const Json& table : golden.json.at("tables")) {
    const at::Tensor positions = golden.tensor(table.at("positions")).contiguous();
    const int64_t* p = positions.const_data_ptr<int64_t>();
    const at::Tensor values =
        lc::sinusoids({p, p + positions.numel()}, table.at("d_model").get<int64_t>(), 10000.0);
    check(values.to(dtype), golden.tensor(table.at("values")), limit(dtype, 1e-12, 2e-7), "table");
  }
}

}  // namespace

// The reference's state-dict names -> ours.
std::vector<std::string> kimiyoung_names(const std::string& name) {
  const auto ends = [&](const std::string& end) { return name.ends_with(end); };
  const auto index = [&](size_t from) { return name.substr(from, name.find('.', from) - from); };
  if (name == "r_w_bias") return {"positions.content_bias"};
  if (name == "r_r_bias") return {"positions.position_bias"};
  if (name == "crit.cluster_weight") return {"output.cluster.weight"};
  if (name == "crit.cluster_bias") return {"output.cluster.bias"};
  if (name.starts_with("word_emb.emb_layers.")) return {"embedding." + index(20) + ".weight"};
  if (name.starts_with("word_emb.emb_projs.")) return {"embedding." + index(19) + ".projection"};
  if (name.starts_with("crit.out_projs.")) return {"output." + index(15) + ".projection"};
  if (name.starts_with("crit.out_layers.")) {
    return {"output." + index(16) + (ends(".weight") ? ".weight" : ".bias")};
  }
  if (!name.starts_with("layers.")) throw std::runtime_error("unknown weight " + name);
  const std::string layer = "layers." + index(7) + ".";
  const std::string attention = layer + "attention.";
  if (ends("qkv_net.weight")) {
    return {attention + "query.weight", attention + "key.weight", attention + "value.weight"};
  }
  if (ends("r_net.weight")) return {layer + "positions.projection.weight"};
  if (ends("o_net.weight")) return {attention + "output.weight"};
  const std::string last = ends(".weight") ? ".weight" : ".bias";
  if (name.find("dec_attn.layer_norm") != std::string::npos) return {attention + "norm" + last};
  const std::string feed_forward = layer + "feed_forward.";
  if (name.find("pos_ff.layer_norm") != std::string::npos) return {feed_forward + "norm" + last};
  return {feed_forward + (name.find("CoreNet.0") != std::string::npos ? "up" : "down") + last};
}

void run_transformer_xl(const Case& golden, at::ScalarType dtype) {
  const auto kind = golden.json.at("kind").get<std::string>();
  if (kind == "forward") return run_forward(golden, dtype);
  if (kind == "gradient") return run_gradient(golden, dtype);
  if (kind == "training") {
    const auto model = model_of(golden, dtype);
    return check_training_trace(golden, *model, dtype, kimiyoung_names);
  }
  if (kind == "evaluation") return run_evaluation(golden, dtype);
  if (kind == "iterator") return run_iterator(golden);
  if (kind == "relative_shift") return run_shift(golden);
  if (kind == "sinusoid") return run_sinusoid(golden, dtype);
  throw std::runtime_error("no test is registered for kind " + kind);
}

}  // namespace golden

// Cases of the positions family: see tests/golden/data/positions/README.md.
#include <ATen/ATen.h>

#include <stdexcept>

#include "catch.h"
#include "golden/agreement.h"
#include "golden/golden_case.h"
#include "golden/golden_model.h"
#include "nn/positions/alibi.h"
#include "nn/positions/angles.h"
#include "nn/positions/position_scheme.h"
#include "nn/positions/rotary.h"
#include "nn/positions/t5.h"

namespace golden {
namespace {

using Json = nlohmann::json;

// Slopes, biases and frequencies count relative in float32.
Limit bias_limit(at::ScalarType dtype) {
  return dtype == at::kDouble ? Limit{1e-12, 0} : Limit{0, 1e-6};
}

std::vector<int64_t> integers(const at::Tensor& tensor) {
  const at::Tensor whole = tensor.contiguous();
  const int64_t* begin = whole.const_data_ptr<int64_t>();
  return {begin, begin + whole.numel()};
}

// A scheme alone, with the parameters given.
struct Scheme {
  lc::ParameterSet parameters;
  std::unique_ptr<lc::PositionScheme> scheme;

  Scheme(const Json& model, const lc::NamedTensors& weights, at::ScalarType dtype)
      : parameters({dtype, at::kCPU, 1}) {
    const lc::Config config = model_config(model);
    const auto settings = lc::read_transformer_settings(config, 100);
    scheme = lc::build_positions({config, settings, parameters});
    parameters.load(weights, "golden case");
  }
  at::Tensor scores(const at::Tensor& q_BHTd, const at::Tensor& k_BHKd,
                    const lc::PositionAxis& axis) const {
    const lc::Segment segment{};
    return scheme->layer(0).scores(q_BHTd, k_BHKd, axis, lc::StepContext{segment, false, {}});
  }
};

lc::PositionAxis axis_of(const Case& golden) {
  return lc::PositionAxis::of(integers(golden.tensor("q_pos")), integers(golden.tensor("k_pos")));
}

// 1 where the key is not after the query.
at::Tensor causal(const lc::PositionAxis& axis) {
  return at::tensor(axis.q_pos, at::kLong)
      .unsqueeze(1)
      .ge(at::tensor(axis.k_pos, at::kLong).unsqueeze(0));
}

Json one_layer(const std::string& scheme, const Json& sizes) {
  Json model{{"layers", 1}, {"positions", {{"scheme", scheme}}}};
  model.update(sizes);
  return model;
}

void run_sinusoid_table(const Case& golden, at::ScalarType dtype) {
  for (const auto& [name, expected] : golden.tensors) {
    if (!name.starts_with("expected.")) continue;
    const at::Tensor table =
        lc::sinusoids(integers(golden.tensor("positions")), expected.size(1), 10000.0);
    check(table.to(dtype), expected, limit(dtype, 1e-9, 1e-6), name);
  }
}

void run_rotary_table(const Case& golden, at::ScalarType dtype) {
  const auto width = golden.json.at("hyperparameters").at("d_head").get<int64_t>();
  const auto base = golden.json.at("hyperparameters").at("base").get<double>();
  const auto positions = integers(golden.tensor("positions"));
  const at::Tensor angles = lc::position_angles(positions, width, base);
  check(lc::inverse_frequencies(width, base), golden.tensor("expected.inv_freq"), 1e-12,
        "inv_freq");
  check(angles.cos().to(dtype), golden.tensor("expected.cos"), limit(dtype, 1e-9, 1e-6), "cos");
  check(angles.sin().to(dtype), golden.tensor("expected.sin"), limit(dtype, 1e-9, 1e-6), "sin");
  check(lc::rotate_half_split(golden.tensor("x").to(dtype), positions, base),
        golden.tensor("expected.rotated"), limit(dtype, 1e-9, 3e-6), "rotated");
}

void run_rotary_scores(const Case& golden, at::ScalarType dtype) {
  const Json& h = golden.json.at("hyperparameters");
  Json model = one_layer("rotary", {{"d_model", h.at("d_head")}, {"heads", 1}});
  model["positions"].update({{"rotary_base", h.at("base")}, {"score_scaling", "none"}});
  const Scheme rotary(model, {}, dtype);
  const at::Tensor q = golden.tensor("q").to(dtype).view({1, 1, -1, h.at("d_head")});
  const at::Tensor k = golden.tensor("k").to(dtype).view(q.sizes());
  for (const int64_t start : integers(golden.tensor("starts"))) {
    std::vector<int64_t> positions;
    for (int64_t t = 0; t < q.size(2); ++t) positions.push_back(start + t);
    check(rotary.scores(q, k, lc::PositionAxis::of(positions, positions)).squeeze(0).squeeze(0),
          golden.tensor("expected.scores"), limit(dtype, 1e-9, 1e-5),
          "scores from " + std::to_string(start));
  }
}

void run_alibi(const Case& golden, at::ScalarType dtype) {
  for (const auto& [name, expected] : golden.tensors) {
    const std::string beginning = "expected.slopes_";
    if (!name.starts_with(beginning)) continue;
    const auto slopes = lc::alibi_slopes(std::stoll(name.substr(beginning.size())));
    check(at::tensor(slopes, at::kDouble).to(dtype), expected, bias_limit(dtype), name);
  }
  const auto heads = golden.json.at("hyperparameters").at("bias_n_heads").get<int64_t>();
  const Scheme alibi(one_layer("alibi", {{"d_model", heads}, {"heads", heads}}), {}, dtype);
  const lc::PositionAxis axis = axis_of(golden);
  const auto zeros = [&](int64_t n) { return at::zeros({1, heads, n, 1}, dtype); };
  check(alibi.scores(zeros(axis.queries()), zeros(axis.keys()), axis).squeeze(0) * causal(axis),
        golden.tensor("expected.bias"), bias_limit(dtype), "bias");
}

void run_t5_buckets(const Case& golden) {
  for (const Json& table : golden.json.at("tables")) {
    std::vector<int64_t> buckets;
    for (const int64_t distance : integers(golden.tensor("distances"))) {
      buckets.push_back(lc::t5_bucket(distance, table.at("num_buckets").get<int64_t>(),
                                      table.at("max_distance").get<int64_t>()));
    }
    INFO(table.at("tensor"));
    CHECK(at::equal(at::tensor(buckets, at::kLong), golden.tensor(table.at("tensor"))));
  }
}

void run_t5_bias(const Case& golden, at::ScalarType dtype) {
  const Json& h = golden.json.at("hyperparameters");
  const auto heads = h.at("n_heads").get<int64_t>();
  Json model = one_layer("t5", {{"d_model", heads}, {"heads", heads}});
  model["positions"].update(
      {{"t5_num_buckets", h.at("t5_num_buckets")}, {"t5_max_distance", h.at("t5_max_distance")}});
  const Scheme t5(model, {{"positions.t5_bias.weight", golden.tensor("weight")}}, dtype);
  const lc::PositionAxis axis = axis_of(golden);
  const auto zeros = [&](int64_t n) { return at::zeros({1, heads, n, 1}, dtype); };
  check(t5.scores(zeros(axis.queries()), zeros(axis.keys()), axis).squeeze(0),
        golden.tensor("expected.bias"), bias_limit(dtype), "bias");
}

void run_shaw(const Case& golden, at::ScalarType dtype) {
  const Json& h = golden.json.at("hyperparameters");
  Json model = one_layer("shaw", {{"d_model", h.at("d_head")}, {"heads", 1}});
  model["positions"]["shaw_clip"] = h.at("shaw_clip");
  const Scheme shaw(model,
                    {{"layers.0.positions.shaw_key.weight", golden.tensor("shaw_key")},
                     {"layers.0.positions.shaw_value.weight", golden.tensor("shaw_value")}},
                    dtype);
  const lc::PositionAxis axis = axis_of(golden);
  const auto one_head = [&](const char* name) {
    return golden.tensor(name).to(dtype).unsqueeze(0).unsqueeze(0);
  };
  const at::Tensor scores = shaw.scores(one_head("q"), one_head("k"), axis);
  const at::Tensor visible = causal(axis);
  check(scores[0][0] * visible, golden.tensor("expected.scores"), limit(dtype, 1e-12, 1e-5),
        "scores");
  const at::Tensor weights = at::softmax(scores.masked_fill(visible.logical_not(), -INFINITY), 3);
  check(weights[0][0], golden.tensor("expected.weights"), limit(dtype, 1e-12, 1e-5), "weights");
  check(shaw.scheme->layer(0).value(weights, one_head("v"), axis)[0][0],
        golden.tensor("expected.output"), limit(dtype, 1e-12, 1e-5), "output");
}

void run_xl_relative(const Case& golden, at::ScalarType dtype) {
  const Json& h = golden.json.at("hyperparameters");
  const lc::PositionAxis axis = axis_of(golden);
  const auto by_head = [&](const char* name) {
    return golden.tensor(name).to(dtype).transpose(0, 1).unsqueeze(0);
  };
  for (const std::string scaling : {"after_biases", "before_biases"}) {
    Json model = one_layer(
        "xl_relative",
        {{"d_model", h.at("d_model")}, {"heads", h.at("n_heads")}, {"d_head", h.at("d_head")}});
    model["positions"]["score_scaling"] = scaling;
    const Scheme xl(model,
                    {{"positions.content_bias", golden.tensor("content_bias")},
                     {"positions.position_bias", golden.tensor("position_bias")},
                     {"layers.0.positions.projection.weight", golden.tensor("r_weight")}},
                    dtype);
    check(xl.scores(by_head("q"), by_head("k"), axis)[0] * causal(axis),
          golden.tensor("expected.scores_" + scaling), limit(dtype, 1e-9, 1e-5), scaling);
  }
}

}  // namespace

void run_positions(const Case& golden, at::ScalarType dtype) {
  const auto is = [&](const char* beginning) { return golden.name.starts_with(beginning); };
  if (is("sinusoid_table")) return run_sinusoid_table(golden, dtype);
  if (is("rotary_table")) return run_rotary_table(golden, dtype);
  if (is("rotary_scores_shifted")) return run_rotary_scores(golden, dtype);
  if (is("alibi")) return run_alibi(golden, dtype);
  if (is("t5_buckets")) return run_t5_buckets(golden);
  if (is("t5_bias")) return run_t5_bias(golden, dtype);
  if (is("shaw")) return run_shaw(golden, dtype);
  if (is("xl_relative")) return run_xl_relative(golden, dtype);
  throw std::runtime_error("no test is registered for " + golden.name);
}

}  // namespace golden

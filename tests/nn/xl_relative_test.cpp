// The shifted scores of relative positions against the plain ones, values and gradients.
#include <ATen/ATen.h>

#include "catch.h"
#include "nn/positions/position_scheme.h"

namespace {

using Json = nlohmann::json;

struct Scored {
  at::Tensor weights;
  std::vector<at::Tensor> gradients;
};

// Attention weights under a causal mask, and gradients of a fixed function of them.
template <typename F>
Scored attend(lc::ParameterSet& parameters, const lc::PositionAxis& axis, F&& scores) {
  const at::Tensor future = at::tensor(axis.q_pos, at::kLong)
                                .unsqueeze(1)
                                .lt(at::tensor(axis.k_pos, at::kLong).unsqueeze(0));
  const at::Tensor weights = at::softmax(scores().masked_fill(future, -INFINITY), 3);
  const at::Tensor factors = at::arange(weights.numel(), at::kDouble).sin().view(weights.sizes());
  (weights * factors).sum().backward();
  Scored result{weights.detach(), {}};
  for (const lc::Parameter& parameter : parameters.all()) {
    at::Tensor value = parameter.value;
    result.gradients.push_back(value.grad().clone());
    value.mutable_grad().reset();
  }
  return result;
}

}  // namespace

TEST_CASE("scores for a softmax differ from the complete ones by a constant per query") {
  for (const std::string scaling : {"after_biases", "before_biases", "none"}) {
    for (const auto& [queries, keys] :
         std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {1, 6}, {5, 5}, {4, 11}}) {
      INFO(scaling << ", " << queries << " queries, " << keys << " keys");
      lc::OptionTable table;
      table.add(lc::transformer_options());
      table.add(lc::position_options());
      const Json json{{"model",
                       {{"layers", 1},
                        {"d_model", 12},
                        {"heads", 2},
                        {"d_head", 4},
                        {"init_std", 0.5},
                        {"positions", {{"scheme", "xl_relative"}, {"score_scaling", scaling}}}}}};
      const auto config = lc::Config::read(table, json.dump(), "test", {});
      const auto settings = lc::read_transformer_settings(config, 10);
      lc::ParameterSet parameters({at::kDouble, at::kCPU, 3});
      const auto scheme = lc::build_positions({config, settings, parameters});
      const lc::PositionAxis axis = lc::PositionAxis::last_of(queries, keys);
      const at::Tensor q = at::arange(2 * 2 * queries * 4, at::kDouble).cos().view({2, 2, -1, 4});
      const at::Tensor k = at::arange(2 * 2 * keys * 4, at::kDouble).sin().view({2, 2, -1, 4});
      const lc::Segment segment{};
      const lc::StepContext context{segment, false, {}};
      const lc::LayerPositions& layer = scheme->layer(0);
      lc::PositionAxis scattered = axis;  // as if keys stood anywhere
      scattered.run.reset();
      const Scored plain =
          attend(parameters, axis, [&] { return layer.scores(q, k, scattered, context); });
      CHECK((layer.scores(q, k, scattered, context) - layer.scores(q, k, axis, context))
                .tril(keys - queries)
                .abs()
                .max()
                .item<double>() < 1e-12);
      const Scored fast =
          attend(parameters, axis, [&] { return layer.scores_for_softmax(q, k, axis, context); });
      CHECK((plain.weights - fast.weights).abs().max().item<double>() < 1e-12);
      for (size_t i = 0; i < plain.gradients.size(); ++i) {
        CHECK((plain.gradients[i] - fast.gradients[i]).abs().max().item<double>() < 1e-12);
      }
    }
  }
}

TEST_CASE("scores of keys that stand apart from the queries are shifted alike") {
  lc::OptionTable table;
  table.add(lc::transformer_options());
  table.add(lc::position_options());
  const Json json{
      {"model", {{"layers", 1}, {"d_model", 12}, {"heads", 2}, {"d_head", 4}, {"init_std", 0.5}}}};
  const auto config = lc::Config::read(table, json.dump(), "test", {});
  const auto settings = lc::read_transformer_settings(config, 10);
  lc::ParameterSet parameters({at::kDouble, at::kCPU, 3});
  const auto scheme = lc::build_positions({config, settings, parameters, {"far"}});
  const lc::LayerPositions& own = *scheme->group(0, "far");
  const lc::Segment segment{};
  const lc::StepContext context{segment, false, {}};
  for (const int64_t queries : {1, 4}) {
    for (const int64_t gap : {0, 3}) {
      INFO(queries << " queries, gap " << gap);
      std::vector<int64_t> q_pos;
      for (int64_t i = 0; i < queries; ++i) q_pos.push_back(gap + i);
      const lc::PositionAxis axis = lc::PositionAxis::of(q_pos, {-5, -4, -3, -2, -1});
      REQUIRE(axis.run);
      lc::PositionAxis scattered = axis;
      scattered.run.reset();
      const at::Tensor q = at::arange(2 * 2 * queries * 4, at::kDouble).cos().view({2, 2, -1, 4});
      const at::Tensor k = at::arange(2 * 2 * 5 * 4, at::kDouble).sin().view({2, 2, -1, 4});
      const at::Tensor plain = own.scores(q, k, scattered, context);
      CHECK((own.scores(q, k, axis, context) - plain).abs().max().item<double>() < 1e-12);
      CHECK((scheme->layer(0).scores(q, k, axis, context) - plain).abs().max().item<double>() >
            1e-3);
    }
  }
}

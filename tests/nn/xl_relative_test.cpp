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
      const Scored plain =
          attend(parameters, axis, [&] { return layer.scores(q, k, axis, context); });
      const Scored fast =
          attend(parameters, axis, [&] { return layer.scores_for_softmax(q, k, axis, context); });
      CHECK((plain.weights - fast.weights).abs().max().item<double>() < 1e-12);
      for (size_t i = 0; i < plain.gradients.size(); ++i) {
        CHECK((plain.gradients[i] - fast.gradients[i]).abs().max().item<double>() < 1e-12);
      }
    }
  }
}

// Learned relative keys and values with clipped distance (Shaw et al. 2018), tables per layer and
// shared by its heads: score = c q (k + aK[r]), output = sum of weights (v + aV[r]), r = min(delta,
// clip).
#include <ATen/ATen.h>

#include "nn/positions/position_scheme.h"

namespace lc {
namespace {

class ShawLayer : public LayerPositions {
 public:
  ShawLayer(const PositionSetup& setup, int64_t index)
      : LayerPositions(score_scaling(setup.config, ScoreScaling::kAfterBiases),
                       setup.settings.d_head),
        clip_(setup.config.get<int64_t>("model.positions.shaw_clip")) {
    const std::string prefix = "layers." + std::to_string(index) + ".positions.";
    const std::vector<int64_t> shape{clip_ + 1, setup.settings.d_head};
    const auto initial = Initial::normal(setup.settings.init_deviation);
    keys_ = setup.parameters.add(prefix + "shaw_key.weight", shape, initial);
    values_ = setup.parameters.add(prefix + "shaw_value.weight", shape, initial);
  }

  at::Tensor scores(const at::Tensor& q_BHTd, const at::Tensor& k_BHKd, const PositionAxis& axis,
                    const StepContext&) const override {
    const at::Tensor by_distance = at::matmul(q_BHTd * query_scale(), keys_.transpose(0, 1));
    return biased_scores(q_BHTd, k_BHKd, by_distance.gather(3, rows(by_distance, axis)));
  }

  at::Tensor value(const at::Tensor& weights_BHTK, const at::Tensor& v_BHKd,
                   const PositionAxis& axis) const override {
    auto shape = weights_BHTK.sizes().vec();
    shape[3] = clip_ + 1;
    const at::Tensor by_distance = at::zeros(shape, weights_BHTK.options())
                                       .scatter_add(3, rows(weights_BHTK, axis), weights_BHTK);
    return at::matmul(weights_BHTK, v_BHKd) + at::matmul(by_distance, values_);
  }

 private:
  at::Tensor rows(const at::Tensor& like_BHTx, const PositionAxis& axis) const {
    return axis.distances(like_BHTx.device(), clip_)
        .expand({like_BHTx.size(0), like_BHTx.size(1), -1, -1});
  }

  int64_t clip_;
  at::Tensor keys_;    // aK [clip + 1, d]
  at::Tensor values_;  // aV [clip + 1, d]
};

class Shaw : public PositionScheme {
 public:
  explicit Shaw(const PositionSetup& setup) {
    for (int64_t l = 0; l < setup.settings.layers; ++l) layers_.emplace_back(setup, l);
  }
  const LayerPositions& layer(int64_t index) const override {
    return layers_.at(static_cast<size_t>(index));
  }
  bool relative() const override { return true; }

 private:
  std::vector<ShawLayer> layers_;
};

}  // namespace

PositionEntry shaw_positions() {
  return {"shaw",
          {Option::integer("model.positions.shaw_clip", 64)
               .at_least(0)
               .in("tokens")
               .architecture()
               .says("Distances beyond this share one row.")},
          [](const PositionSetup& setup) -> std::unique_ptr<PositionScheme> {
            return std::make_unique<Shaw>(setup);
          }};
}

}  // namespace lc

// Linear biases (Press et al. 2022): score = c q k - m_a delta; no parameters.
#include "nn/positions/alibi.h"

#include <ATen/ATen.h>

#include <bit>
#include <cmath>

#include "nn/positions/position_scheme.h"

namespace lc {
namespace {

class AlibiLayer : public LayerPositions {
 public:
  AlibiLayer(const PositionSetup& setup)
      : LayerPositions(score_scaling(setup.config, ScoreScaling::kBeforeBiases),
                       setup.settings.d_head),
        slopes_H11_(at::tensor(alibi_slopes(setup.settings.heads), at::kDouble)
                        .view({-1, 1, 1})
                        .to(setup.parameters.setup().device, setup.parameters.setup().dtype)) {}

  at::Tensor scores(const at::Tensor& q_BHTd, const at::Tensor& k_BHKd, const PositionAxis& axis,
                    const StepContext&) const override {
    const at::Tensor distances = axis.distances(q_BHTd.device()).to(slopes_H11_.scalar_type());
    return biased_scores(q_BHTd, k_BHKd, slopes_H11_ * distances.neg());
  }

 private:
  at::Tensor slopes_H11_;
};

class Alibi : public PositionScheme {
 public:
  explicit Alibi(const PositionSetup& setup) : layer_(setup) {}
  const LayerPositions& layer(int64_t) const override { return layer_; }
  bool relative() const override { return true; }

 private:
  AlibiLayer layer_;
};

std::vector<double> slopes_of_power(int64_t heads) {
  std::vector<double> slopes;
  for (int64_t a = 1; a <= heads; ++a) {
    slopes.push_back(std::exp2(-8.0 * static_cast<double>(a) / static_cast<double>(heads)));
  }
  return slopes;
}

}  // namespace

std::vector<double> alibi_slopes(int64_t heads) {
  const auto power = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(heads)));
  std::vector<double> slopes = slopes_of_power(power);
  const std::vector<double> finer = slopes_of_power(2 * power);
  for (int64_t i = 0; i < heads - power; ++i) slopes.push_back(finer[static_cast<size_t>(2 * i)]);
  return slopes;
}

PositionEntry alibi_positions() {
  return {"alibi", {}, [](const PositionSetup& setup) -> std::unique_ptr<PositionScheme> {
            return std::make_unique<Alibi>(setup);
          }};
}

}  // namespace lc

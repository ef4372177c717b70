// Rotary positions (Su et al. 2021): queries and keys turned by their position, half-split.
#include "nn/positions/rotary.h"

#include <ATen/ATen.h>

#include "core/error.h"
#include "nn/positions/angles.h"
#include "nn/positions/position_scheme.h"

namespace lc {
namespace {

class RotaryLayer : public LayerPositions {
 public:
  RotaryLayer(ScoreScaling scaling, int64_t d_head, double base)
      : LayerPositions(scaling, d_head), base_(base) {}

  at::Tensor scores(const at::Tensor& q_BHTd, const at::Tensor& k_BHKd, const PositionAxis& axis,
                    const StepContext& context) const override {
    return LayerPositions::scores(rotate_half_split(q_BHTd, axis.q_pos, base_),
                                  rotate_half_split(k_BHKd, axis.k_pos, base_), axis, context);
  }

 private:
  double base_;
};

class Rotary : public PositionScheme {
 public:
  explicit Rotary(const PositionSetup& setup)
      : layer_(score_scaling(setup.config, ScoreScaling::kAfterBiases), setup.settings.d_head,
               setup.config.get<double>("model.positions.rotary_base")) {
    if (setup.settings.d_head % 2 != 0) {
      throw Error(ErrorKind::kUsage, "model.d_head",
                  std::to_string(setup.settings.d_head) + " is odd, and rotation takes pairs",
                  "choose an even head width or another model.positions.scheme");
    }
  }
  const LayerPositions& layer(int64_t) const override { return layer_; }
  bool relative() const override { return true; }

 private:
  RotaryLayer layer_;
};

}  // namespace

at::Tensor rotate_half_split(const at::Tensor& x_nd, const std::vector<int64_t>& positions,
                             double base) {
  const int64_t half = x_nd.size(-1) / 2;
  const at::Tensor angles = position_angles(positions, 2 * half, base);
  const at::Tensor cos = angles.cos().to(x_nd.options());
  const at::Tensor sin = angles.sin().to(x_nd.options());
  const at::Tensor first = x_nd.narrow(-1, 0, half);
  const at::Tensor second = x_nd.narrow(-1, half, half);
  return at::cat({first * cos - second * sin, second * cos + first * sin}, -1);
}

PositionEntry rotary_positions() {
  return {"rotary",
          {Option::number("model.positions.rotary_base", 10000.0)
               .more_than(1)
               .architecture()
               .says("Base of the rotary frequencies.")},
          [](const PositionSetup& setup) -> std::unique_ptr<PositionScheme> {
            return std::make_unique<Rotary>(setup);
          }};
}

}  // namespace lc

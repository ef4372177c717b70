// No positions: only the causal mask tells order.
#include "nn/positions/position_scheme.h"

namespace lc {
namespace {

class None : public PositionScheme {
 public:
  explicit None(const PositionSetup& setup)
      : layer_(score_scaling(setup.config, ScoreScaling::kAfterBiases), setup.settings.d_head) {}
  const LayerPositions& layer(int64_t) const override { return layer_; }
  bool relative() const override { return true; }

 private:
  LayerPositions layer_;
};

}  // namespace

PositionEntry none_positions() {
  return {"none", {}, [](const PositionSetup& setup) -> std::unique_ptr<PositionScheme> {
            return std::make_unique<None>(setup);
          }};
}

}  // namespace lc

// A learned table of absolute positions for every layer, added to that layer's input
// (Al-Rfou et al. 2019, section 2). The rows' number is model.positions.max_positions.
#include "nn/positions/position_table.h"

namespace lc {
namespace {

class TableLayer : public LayerPositions {
 public:
  TableLayer(const PositionSetup& setup, int64_t index)
      : LayerPositions(score_scaling(setup.config, ScoreScaling::kAfterBiases),
                       setup.settings.d_head),
        table_(setup, "layers." + std::to_string(index) + ".positions.table.weight") {}
  at::Tensor embed(const at::Tensor& positions_BT) const override { return table_(positions_BT); }

 private:
  PositionTable table_;
};

class LearnedPerLayer : public PositionScheme {
 public:
  explicit LearnedPerLayer(const PositionSetup& setup) {
    for (int64_t l = 0; l < setup.settings.layers; ++l) layers_.emplace_back(setup, l);
  }
  const LayerPositions& layer(int64_t index) const override {
    return layers_.at(static_cast<size_t>(index));
  }
  bool relative() const override { return false; }

 private:
  std::vector<TableLayer> layers_;
};

}  // namespace

PositionEntry learned_per_layer_positions() {
  return {"learned_per_layer",
          {},
          [](const PositionSetup& setup) -> std::unique_ptr<PositionScheme> {
            return std::make_unique<LearnedPerLayer>(setup);
          },
          true};
}

}  // namespace lc

// A learned table of absolute positions, added to the scaled embeddings.
#include "nn/positions/position_table.h"

namespace lc {
namespace {

class Learned : public PositionScheme {
 public:
  explicit Learned(const PositionSetup& setup)
      : layer_(score_scaling(setup.config, ScoreScaling::kAfterBiases), setup.settings.d_head),
        table_(setup, "positions.table.weight") {}
  at::Tensor embed(const at::Tensor& positions_BT) const override { return table_(positions_BT); }
  const LayerPositions& layer(int64_t) const override { return layer_; }
  bool relative() const override { return false; }

 private:
  LayerPositions layer_;
  PositionTable table_;
};

}  // namespace

PositionEntry learned_positions() {
  return {"learned",
          {Option::integer("model.positions.max_positions", 1024)
               .at_least(1)
               .in("tokens")
               .architecture()
               .says("Rows of the learned position tables.")},
          [](const PositionSetup& setup) -> std::unique_ptr<PositionScheme> {
            return std::make_unique<Learned>(setup);
          },
          true};
}

}  // namespace lc

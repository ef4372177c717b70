// Absolute sinusoids added to the scaled embeddings (Vaswani et al. 2017), halves concatenated.
#include <ATen/ATen.h>

#include "core/error.h"
#include "nn/positions/angles.h"
#include "nn/positions/position_scheme.h"

namespace lc {
namespace {

class Sinusoidal : public PositionScheme {
 public:
  explicit Sinusoidal(const PositionSetup& setup)
      : layer_(score_scaling(setup.config, ScoreScaling::kAfterBiases), setup.settings.d_head),
        d_model_(setup.settings.d_model),
        options_(at::TensorOptions()
                     .dtype(setup.parameters.setup().dtype)
                     .device(setup.parameters.setup().device)) {
    if (d_model_ % 2 != 0) {
      throw Error(ErrorKind::kUsage, "model.d_model",
                  std::to_string(d_model_) + " is odd, and sinusoids come in pairs",
                  "choose an even width or another model.positions.scheme");
    }
  }

  at::Tensor embed(const at::Tensor& positions_BT) const override {
    const at::Tensor flat = positions_BT.to(at::kCPU).contiguous().flatten();
    const int64_t* p = flat.const_data_ptr<int64_t>();
    return sinusoids({p, p + flat.numel()}, d_model_, 10000.0)
        .view({positions_BT.size(0), positions_BT.size(1), d_model_})
        .to(options_);
  }
  const LayerPositions& layer(int64_t) const override { return layer_; }
  bool relative() const override { return false; }

 private:
  LayerPositions layer_;
  int64_t d_model_;
  at::TensorOptions options_;
};

}  // namespace

PositionEntry sinusoidal_positions() {
  return {"sinusoidal", {}, [](const PositionSetup& setup) -> std::unique_ptr<PositionScheme> {
            return std::make_unique<Sinusoidal>(setup);
          }};
}

}  // namespace lc

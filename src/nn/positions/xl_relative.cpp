// Relative positions of Transformer-XL (Dai et al. 2019, section 3.3):
//   score = (q + u) k + (q + v) W_r phi(delta),  phi(delta) = [sin(delta f), cos(delta f)],
// with u and v shared by all layers or one pair each, and phi(min(delta, clamp_length)).
// Scaled before the biases it is (q/sqrt(d) + u) k + (q/sqrt(d) + v) r. A group of keys with a
// function of its own has its own W_r and v.
#include "nn/positions/xl_relative.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "core/error.h"
#include "nn/positions/angles.h"
#include "nn/positions/position_scheme.h"

namespace lc {
namespace {

// phi of distances, kept for the largest distance met so far: a table, not a state of any text.
class DistanceVectors {
 public:
  DistanceVectors(int64_t d_model, std::optional<int64_t> clamp, at::TensorOptions options)
      : d_model_(d_model), clamp_(clamp), options_(options) {}

  // Rows of phi(0), phi(1), ... phi(count - 1), clamped: [count, D].
  at::Tensor up_to(int64_t count) const {
    if (!table_.defined() || table_.size(0) < count) {
      std::vector<int64_t> distances(static_cast<size_t>(count));
      std::iota(distances.begin(), distances.end(), 0);
      table_ = of(std::move(distances));
    }
    return table_.narrow(0, 0, count);
  }

  at::Tensor of(std::vector<int64_t> distances) const {
    if (clamp_) {
      for (int64_t& distance : distances) distance = std::min(distance, *clamp_);
    }
    return sinusoids(distances, d_model_, 10000.0).to(options_);
  }

 private:
  int64_t d_model_;
  std::optional<int64_t> clamp_;
  at::TensorOptions options_;
  mutable at::Tensor table_;
};

struct Biases {
  at::Tensor content;   // u [H, d]
  at::Tensor position;  // v [H, d]
};

// One pair of W_r and v, and its name among the parameters of its layer.
struct XlFunction {
  std::string prefix;  // "layers.3.positions.", "layers.3.positions.compressed."
  Biases biases;
};

class XlLayer : public LayerPositions {
 public:
  XlLayer(const PositionSetup& setup, XlFunction function,
          std::shared_ptr<const DistanceVectors> vectors)
      : LayerPositions(score_scaling(setup.config, ScoreScaling::kAfterBiases),
                       setup.settings.d_head),
        projection_(
            setup.parameters.add(function.prefix + "projection.weight",
                                 {setup.settings.heads * setup.settings.d_head,
                                  setup.settings.d_model},
                                 Initial::normal(setup.settings.init_deviation))),
        biases_(std::move(function.biases)),
        vectors_(std::move(vectors)),
        dropout_(setup.settings.dropout) {}

  at::Tensor scores(const at::Tensor& q_BHTd, const at::Tensor& k_BHKd, const PositionAxis& axis,
                    const StepContext& context) const override {
    const at::Tensor q = q_BHTd * (query_scale() * sum_scale());
    const at::Tensor with_v = with_bias(q, biases_.position);
    return sum(q, k_BHKd,
               axis.run ? shifted_scores(with_v, axis, phi_up_to(*axis.run + 1, context))
                        : gathered_scores(with_v, axis, context));
  }

  at::Tensor scores_for_softmax(const at::Tensor& q_BHTd, const at::Tensor& k_BHKd,
                                const PositionAxis& axis,
                                const StepContext& context) const override {
    if (!axis.run) return scores(q_BHTd, k_BHKd, axis, context);
    // A constant taken from every phi moves a query's scores by a constant, which the softmax takes
    // away again. With phi(0) taken, slow frequencies have small entries instead of ones, and their
    // gradient in W_r is a sum of small terms instead of a difference of large ones.
    const at::Tensor phi = phi_up_to(*axis.run + 1, context) - vectors_->up_to(1);
    const at::Tensor q = q_BHTd * (query_scale() * sum_scale());
    return sum(q, k_BHKd, shifted_scores(with_bias(q, biases_.position), axis, phi));
  }

 private:
  at::Tensor with_bias(const at::Tensor& q_BHTd, const at::Tensor& bias_Hd) const {
    return q_BHTd + (bias_Hd * sum_scale()).unsqueeze(1);
  }

  // (q + u) k added to the position term.
  at::Tensor sum(const at::Tensor& q_BHTd, const at::Tensor& k_BHKd,
                 const at::Tensor& position_BHTK) const {
    const int64_t rows = q_BHTd.size(0) * q_BHTd.size(1);
    const int64_t keys = k_BHKd.size(2);
    return at::baddbmm(position_BHTK.reshape({rows, q_BHTd.size(2), keys}),
                       with_bias(q_BHTd, biases_.content).reshape({rows, -1, q_BHTd.size(3)}),
                       k_BHKd.reshape({rows, keys, q_BHTd.size(3)}).transpose(1, 2))
        .view(position_BHTK.sizes());
  }

  // r of some distances, by head: [H, n, d].
  at::Tensor projected(const at::Tensor& phi_nD) const {
    const int64_t heads = biases_.content.size(0);
    return at::linear(phi_nD, projection_).view({phi_nD.size(0), heads, -1}).transpose(0, 1);
  }

  // phi(0) .. phi(count - 1), each with the dropout of its distance.
  at::Tensor phi_up_to(int64_t count, const StepContext& context) const {
    return context.shared_dropout(vectors_->up_to(count), dropout_, "positions");
  }

  // All distances of a run, each row of scores shifted to its own; of keys the first.
  at::Tensor shifted_scores(const at::Tensor& with_v, const PositionAxis& axis,
                            const at::Tensor& phi) const {
    const at::Tensor raw = at::matmul(with_v, projected(phi.flip(0)).transpose(1, 2));
    const at::Tensor scores = relative_shift(raw);
    return axis.queries_are_last() ? scores : scores.narrow(3, 0, axis.keys());
  }

  at::Tensor gathered_scores(const at::Tensor& with_v, const PositionAxis& axis,
                             const StepContext& context) const {
    const at::Tensor distances_TK = axis.distances(at::kCPU).contiguous();
    const int64_t* begin = distances_TK.const_data_ptr<int64_t>();
    std::vector<int64_t> different(begin, begin + distances_TK.numel());
    std::sort(different.begin(), different.end());
    different.erase(std::unique(different.begin(), different.end()), different.end());
    std::vector<int64_t> columns;
    for (int64_t i = 0; i < distances_TK.numel(); ++i) {
      columns.push_back(std::lower_bound(different.begin(), different.end(), begin[i]) -
                        different.begin());
    }
    const at::Tensor rows = at::tensor(different, at::kLong).to(with_v.device());
    const at::Tensor phi = phi_up_to(different.back() + 1, context).index_select(0, rows);
    const at::Tensor raw = at::matmul(with_v, projected(phi).transpose(1, 2));
    const at::Tensor index_TK =
        at::tensor(columns, at::kLong).view(distances_TK.sizes()).to(raw.device());
    return raw.gather(3, index_TK.expand({raw.size(0), raw.size(1), -1, -1}));
  }

  at::Tensor projection_;  // [H*d, D]
  Biases biases_;
  std::shared_ptr<const DistanceVectors> vectors_;
  double dropout_;
};

class XlRelative : public PositionScheme {
 public:
  explicit XlRelative(const PositionSetup& setup) : share_(share_biases(setup)) {
    const TransformerSettings& settings = setup.settings;
    if (settings.d_model % 2 != 0) {
      throw Error(ErrorKind::kUsage, "model.d_model",
                  std::to_string(settings.d_model) + " is odd, and sinusoids come in pairs",
                  "choose an even width or another model.positions.scheme");
    }
    std::optional<int64_t> clamp;
    if (!setup.config.is_null("model.positions.clamp_length")) {
      clamp = setup.config.get<int64_t>("model.positions.clamp_length");
    }
    const ParameterSetup& place = setup.parameters.setup();
    const auto vectors = std::make_shared<DistanceVectors>(
        settings.d_model, clamp, at::TensorOptions().dtype(place.dtype).device(place.device));
    Biases biases;
    std::map<std::string, at::Tensor> position_biases;  // of groups
    for (int64_t l = 0; l < settings.layers; ++l) {
      const std::string prefix = "layers." + std::to_string(l) + ".positions.";
      const std::string owner = share_ ? "positions." : prefix;
      const bool fresh = l == 0 || !share_;
      if (fresh) biases = {bias(setup, owner + "content_bias"), bias(setup, owner + "position_bias")};
      layers_.emplace_back(setup, XlFunction{prefix, biases}, vectors);
      for (const std::string& name : setup.key_groups) {
        at::Tensor& own = position_biases[name];
        if (fresh) own = bias(setup, owner + name + ".position_bias");
        groups_[name].emplace_back(
            setup, XlFunction{prefix + name + ".", {biases.content, own}}, vectors);
      }
    }
  }
  const LayerPositions& layer(int64_t index) const override {
    return layers_.at(static_cast<size_t>(index));
  }
  const LayerPositions* group(int64_t index, std::string_view name) const override {
    return &groups_.at(std::string(name)).at(static_cast<size_t>(index));
  }
  bool relative() const override { return true; }

 private:
  static bool share_biases(const PositionSetup& setup) {
    return setup.config.get<bool>("model.positions.share_biases");
  }
  static at::Tensor bias(const PositionSetup& setup, const std::string& name) {
    return setup.parameters.add(name, {setup.settings.heads, setup.settings.d_head},
                                Initial::normal(setup.settings.init_deviation));
  }

  bool share_;
  std::vector<XlLayer> layers_;
  std::map<std::string, std::vector<XlLayer>> groups_;
};

}  // namespace

at::Tensor relative_shift(const at::Tensor& raw_BHTC) {
  const int64_t t = raw_BHTC.size(2);
  const int64_t k = raw_BHTC.size(3) - 1;
  return raw_BHTC.flatten(2).narrow(2, t, t * k).unflatten(2, {t, k});
}

PositionEntry xl_relative_positions() {
  return {"xl_relative",
          {Option::integer("model.positions.clamp_length", nullptr)
               .at_least(1)
               .at_most(kLongestLength)
               .or_null()
               .in("tokens")
               .says("Distances beyond this share one position vector; null: none do."),
           Option::boolean("model.positions.share_biases", true)
               .architecture()
               .says("All layers share the content bias u and the position bias v.")},
          [](const PositionSetup& setup) -> std::unique_ptr<PositionScheme> {
            return std::make_unique<XlRelative>(setup);
          }};
}

}  // namespace lc

// How a model knows where its keys are: one scheme per model, one LayerPositions per layer.
//
// Shapes: B lanes, H heads, T queries, K keys, d = d_head, D = d_model.
// Positions are int64 in a numbering of the caller's; a scheme sees only distances
// delta = q_pos - k_pos >= 0, except where it adds a vector per position to the hidden states.
// Angles are formed in float64 from integers and then cast, so they stay exact at any position.
// Entries with delta < 0 are masked by the caller: what a scheme returns there is finite but
// otherwise meaningless.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "nn/parameters.h"
#include "nn/step_context.h"
#include "nn/transformer_settings.h"

namespace lc {

// Where queries and keys stand.
struct PositionAxis {
  std::vector<int64_t> q_pos;  // T
  std::vector<int64_t> k_pos;  // K
  // Where keys and queries are consecutive and no query stands before the first key, so that
  // distances form a Toeplitz matrix: positions from the first key to the last query.
  std::optional<int64_t> run = {};

  static PositionAxis of(std::vector<int64_t> q_pos, std::vector<int64_t> k_pos);
  static PositionAxis last_of(int64_t queries, int64_t keys);  // keys from 0, queries among them
  bool queries_are_last() const { return run == keys(); }

  int64_t queries() const { return static_cast<int64_t>(q_pos.size()); }
  int64_t keys() const { return static_cast<int64_t>(k_pos.size()); }
  // max(delta, 0), at most `largest` if given: int64 [T, K] on the device.
  at::Tensor distances(at::Device device, std::optional<int64_t> largest = {}) const;
};

// Where the factor c = 1 / sqrt(d_head) stands: c (qk + bias), c qk + bias, or nowhere.
enum class ScoreScaling { kAfterBiases, kBeforeBiases, kNone };

class LayerPositions {
 public:
  LayerPositions(ScoreScaling scaling, int64_t d_head);
  virtual ~LayerPositions() = default;

  // Vectors [B, T, D] added to the input of the layer, for the positions given; undefined: none.
  virtual at::Tensor embed(const at::Tensor& positions_BT) const;
  // Complete scores [B, H, T, K], scaled, without mask.
  virtual at::Tensor scores(const at::Tensor& q_BHTd, const at::Tensor& k_BHKd,
                            const PositionAxis& axis, const StepContext& context) const;
  // The same up to a constant per query, which a softmax takes away: room for a faster or a more
  // accurate way. The tensor is the caller's to change.
  virtual at::Tensor scores_for_softmax(const at::Tensor& q_BHTd, const at::Tensor& k_BHKd,
                                        const PositionAxis& axis, const StepContext& context) const;
  // Weighted values [B, H, T, d].
  virtual at::Tensor value(const at::Tensor& weights_BHTK, const at::Tensor& v_BHKd,
                           const PositionAxis& axis) const;

 protected:
  // c where the query is scaled before biases are added, c where the sum is; 1 elsewhere.
  double query_scale() const { return scaling_ == ScoreScaling::kBeforeBiases ? scale_ : 1.0; }
  double sum_scale() const { return scaling_ == ScoreScaling::kAfterBiases ? scale_ : 1.0; }
  // (query_scale q k^T + bias) * sum_scale, in one pass; bias broadcasts to [B, H, T, K].
  at::Tensor biased_scores(const at::Tensor& q_BHTd, const at::Tensor& k_BHKd,
                           const at::Tensor& bias) const;

 private:
  ScoreScaling scaling_;
  double scale_;
};

class PositionScheme {
 public:
  virtual ~PositionScheme() = default;
  // Vectors [B, T, D] added to the scaled embeddings, for the positions given; undefined: none.
  virtual at::Tensor embed(const at::Tensor& positions_BT) const;
  virtual const LayerPositions& layer(int64_t index) const = 0;
  // The layer's own function for a group of keys that PositionSetup asked for; null: the scheme
  // has no parameters to give it.
  virtual const LayerPositions* group(int64_t /*index*/, std::string_view /*name*/) const {
    return nullptr;
  }
  // Whether memory may stand in front of the segment: false for schemes that add a vector per
  // position to the hidden states, which memory would carry into another segment.
  virtual bool relative() const = 0;
};

// What a scheme is built from.
struct PositionSetup {
  const Config& config;
  const TransformerSettings& settings;
  ParameterSet& parameters;
  std::vector<std::string> key_groups = {};  // groups of keys with a function of their own
};

struct PositionEntry {
  std::string name;             // the value of model.positions.scheme
  std::vector<Option> options;  // its own rows
  std::unique_ptr<PositionScheme> (*build)(const PositionSetup& setup);
  bool has_rows = false;  // one of model.positions.max_positions for each absolute position
};

const std::vector<PositionEntry>& position_registry();
std::vector<Option> position_options();  // model.positions.*, of all schemes
std::unique_ptr<PositionScheme> build_positions(const PositionSetup& setup);
// Error(kUsage) at that place if the config's scheme has rows, and fewer than so many positions.
void check_position_rows(const Config& config, int64_t positions, const std::string& where);

// The scaling that the config asks for, or the scheme's own where it is null.
ScoreScaling score_scaling(const Config& config, ScoreScaling own);

}  // namespace lc

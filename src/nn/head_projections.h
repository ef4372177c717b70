// What every attention over heads has in common: one norm, the four projections, and the mixing of
// values under a softmax over one or more groups of keys.
//
// Shapes: B lanes, T queries, K keys, H heads, d = d_head, D = d_model, n any number of rows.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "nn/footprint.h"
#include "nn/layer_norm.h"
#include "nn/positions/position_scheme.h"
#include "nn/step_context.h"
#include "nn/transformer_settings.h"

namespace lc {

// Keys whose positions one function scores.
struct KeyGroup {
  const LayerPositions& positions;
  at::Tensor keys_BHKd;
  at::Tensor values_BHKd;
  std::vector<PositionAxis> axes;  // one for all lanes, or one for each
};

struct AttendedHeads {
  at::Tensor mixed_BHTd;    // values under the softmax
  at::Tensor weights_BHTK;  // of the softmax, before dropout
};

struct MixedHeads {
  at::Tensor branch_BTD;
  at::Tensor weights_BHTK;  // of the softmax, before dropout
};

class HeadProjections {
 public:
  HeadProjections(ParameterSet& parameters, const TransformerSettings& sizes, int64_t layer);

  // The same numbers with weights that get no gradient.
  HeadProjections detached() const;

  // Rows as projections take them: normalised with pre-norm, else as they are.
  at::Tensor usable(const at::Tensor& rows_BnD) const;
  at::Tensor normalise(const at::Tensor& rows_BnD) const { return norm_(rows_BnD); }
  at::Tensor split(const at::Tensor& rows_BnE) const;  // [B, n, H*d] -> [B, H, n, d]

  // Scores of all groups, side by side, under one softmax; mask is added to them. Dropout of the
  // weights.
  AttendedHeads attend(const at::Tensor& q_BHTd, const std::vector<KeyGroup>& groups,
                       const at::Tensor& mask_BHTK, const StepContext& context) const;
  // Heads joined and projected, [B, T, D]. Dropout of the branch.
  at::Tensor project(const at::Tensor& mixed_BHTd, const StepContext& context) const;
  // Both, one after the other.
  MixedHeads mix(const at::Tensor& q_BHTd, const std::vector<KeyGroup>& groups,
                 const at::Tensor& mask_BHTK, const StepContext& context) const;

  // Keys, values and weights of attend(), for one lane.
  Held attention_held(int64_t queries, int64_t keys) const;
  // So many rows of keys and of values, for one lane.
  Held key_value_rows(int64_t rows) const;

  const at::Tensor& query() const { return query_; }  // [H*d, D]
  const at::Tensor& key() const { return key_; }      // [H*d, D]
  const at::Tensor& value() const { return value_; }  // [H*d, D]
  at::ScalarType dtype() const { return query_.scalar_type(); }
  int64_t layer() const { return layer_; }
  int64_t d_head() const { return d_head_; }
  int64_t d_model() const { return query_.size(1); }

 private:
  int64_t heads_;
  int64_t d_head_;
  double dropout_;
  double attention_dropout_;
  bool pre_norm_;
  int64_t layer_;
  at::Tensor query_;
  at::Tensor key_;
  at::Tensor value_;
  at::Tensor output_;  // [D, H*d]
  LayerNorm norm_;
};

}  // namespace lc

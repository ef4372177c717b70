// The position-wise layer: W_2 relu(W_1 y + b_1) + b_2, with its own norm (Vaswani et al. 2017).
// As in a mixer, forward() gives the branch alone and normalise() serves post-norm.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "nn/layer_norm.h"
#include "nn/step_context.h"
#include "nn/transformer_settings.h"

namespace lc {

class FeedForward {
 public:
  FeedForward(ParameterSet& parameters, const TransformerSettings& settings, int64_t layer);
  at::Tensor forward(const at::Tensor& x_BTD, const StepContext& context) const;
  at::Tensor normalise(const at::Tensor& x_BTD) const { return norm_(x_BTD); }

 private:
  double dropout_;
  bool pre_norm_;
  int64_t layer_;
  at::Tensor up_weight_;    // [d_inner, D]
  at::Tensor up_bias_;      // [d_inner]
  at::Tensor down_weight_;  // [D, d_inner]
  at::Tensor down_bias_;    // [D]
  LayerNorm norm_;
};

}  // namespace lc

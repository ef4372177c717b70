#include "nn/feed_forward.h"

#include <ATen/ATen.h>

#include <string>

namespace lc {
namespace {

std::string feed_forward_prefix(int64_t layer) { return "layers." + std::to_string(layer) + ".feed_forward."; }

}  // namespace

FeedForward::FeedForward(ParameterSet& parameters, const TransformerSettings& settings,
                         int64_t layer)
    : dropout_(settings.dropout),
      pre_norm_(settings.norm == NormPlace::kPre),
      layer_(layer),
      up_weight_(parameters.add(feed_forward_prefix(layer) + "up.weight", {settings.d_inner, settings.d_model},
                                Initial::normal(settings.init_deviation))),
      up_bias_(parameters.add(feed_forward_prefix(layer) + "up.bias", {settings.d_inner}, Initial::constant(0))),
      down_weight_(parameters.add(feed_forward_prefix(layer) + "down.weight",
                                  {settings.d_model, settings.d_inner},
                                  Initial::normal(settings.init_deviation))),
      down_bias_(
          parameters.add(feed_forward_prefix(layer) + "down.bias", {settings.d_model}, Initial::constant(0))),
      norm_(parameters, feed_forward_prefix(layer) + "norm", settings.d_model, settings.init_deviation,
            settings.norm_eps) {}

at::Tensor FeedForward::forward(const at::Tensor& x_BTD, const StepContext& context) const {
  const at::Tensor input = pre_norm_ ? norm_(x_BTD) : x_BTD;
  const at::Tensor inner = at::linear(input, up_weight_, up_bias_).relu_();
  const at::Tensor kept = context.dropout(inner, dropout_, "feed_forward_inner", layer_);
  return context.dropout(at::linear(kept, down_weight_, down_bias_), dropout_,
                         "feed_forward_branch", layer_);
}

}  // namespace lc

#include "nn/layer_norm.h"

#include <ATen/ATen.h>

namespace lc {

LayerNorm::LayerNorm(ParameterSet& parameters, const std::string& name, int64_t width,
                     double deviation, double eps)
    : weight_(parameters.add(name + ".weight", {width}, {1.0, deviation})),
      bias_(parameters.add(name + ".bias", {width}, Initial::constant(0))),
      eps_(eps) {}

at::Tensor LayerNorm::operator()(const at::Tensor& x) const {
  return at::layer_norm(x, {x.size(-1)}, weight_, bias_, eps_);
}

LayerNorm LayerNorm::detached() const {
  LayerNorm copy = *this;
  copy.weight_ = weight_.detach();
  copy.bias_ = bias_.detach();
  return copy;
}

}  // namespace lc

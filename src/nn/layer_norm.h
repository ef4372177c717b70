// Layer normalisation over the last dimension, with weight and bias (Ba et al. 2016).
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "nn/parameters.h"

namespace lc {

class LayerNorm {
 public:
  // weight starts as N(1, deviation), bias as 0.
  LayerNorm(ParameterSet& parameters, const std::string& name, int64_t width, double deviation,
            double eps);
  at::Tensor operator()(const at::Tensor& x) const;
  LayerNorm detached() const;  // the same numbers, no gradient to weight and bias

 private:
  at::Tensor weight_;
  at::Tensor bias_;
  double eps_;
};

}  // namespace lc

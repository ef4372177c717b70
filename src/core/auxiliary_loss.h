// Losses beside the one of the next token: what a part of a model is trained by that the
// next-token loss doesn't reach.
//
// The training loss is mean nll + the sum over auxiliary losses of weight * sum / count, over a
// whole update. So that it is divided once, however lanes and segments are cut, a model tells each
// count of an update before the first forward (AuxiliaryShare).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace lc {

// What one segment adds.
struct AuxiliaryLoss {
  std::string name;   // with its unit: "auto_encoding_mse"
  int64_t layer = 0;  // counted from 0
  at::Tensor sum;     // of the values counted, with gradient history; a scalar
  int64_t count = 0;  // at least 1
};

// What an update holds of one loss in one layer.
struct AuxiliaryShare {
  std::string name;
  int64_t layer = 0;
  double weight = 0;  // in the training loss
  int64_t count = 0;  // over all lanes and segments; 0: the loss has no value in this update
};

// Over all lanes and segments that had a value, of one update or of several.
struct AuxiliarySum {
  std::string name;
  int64_t layer = 0;
  double sum = 0;
  int64_t count = 0;
};

}  // namespace lc

// A learned vector per absolute position.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "nn/positions/position_scheme.h"

namespace lc {

class PositionTable {
 public:
  // Rows model.positions.max_positions, width d_model, initial standard deviation of the model.
  PositionTable(const PositionSetup& setup, const std::string& name);
  // [B, T, D]; a position past the table is Error(kUsage).
  at::Tensor operator()(const at::Tensor& positions_BT) const;

 private:
  at::Tensor table_;
};

}  // namespace lc

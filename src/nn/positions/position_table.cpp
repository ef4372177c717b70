#include "nn/positions/position_table.h"

#include <ATen/ATen.h>

#include "core/error.h"

namespace lc {

PositionTable::PositionTable(const PositionSetup& setup, const std::string& name)
    : table_(setup.parameters.add(
          name,
          {setup.config.get<int64_t>("model.positions.max_positions"), setup.settings.d_model},
          Initial::normal(setup.settings.init_deviation))) {}

at::Tensor PositionTable::operator()(const at::Tensor& positions_BT) const {
  const int64_t rows = table_.size(0);
  if (positions_BT.numel() > 0) {
    const auto largest = positions_BT.max().item<int64_t>();
    if (largest >= rows) {
      throw Error(ErrorKind::kUsage, "model.positions.max_positions",
                  "position " + std::to_string(largest) + " has no row in a table of " +
                      std::to_string(rows),
                  "raise it, or use shorter segments");
    }
  }
  return at::embedding(table_, positions_BT);
}

}  // namespace lc

// Tensors of another code into those of a model, and back, along a table of names.
#pragma once

#include <string>
#include <vector>

#include "core/named_tensors.h"
#include "models/foreign.h"

namespace lc {

// Error(kData) that lists every tensor that is missing, unknown, of unfitting rows, of whole
// numbers or values that aren't finite, or another than one that it should be the same as. Shapes
// are the model's to check.
NamedTensors from_foreign(const std::vector<ForeignTensor>& table, const NamedTensors& theirs,
                          const std::string& source);

// Every name of the table, those of the same values too. ours: all parameters of the model.
NamedTensors to_foreign(const std::vector<ForeignTensor>& table, const NamedTensors& ours);

}  // namespace lc

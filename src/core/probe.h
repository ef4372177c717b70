// An optional observer handed to LanguageModel::step. Absent, it costs nothing; diagnostics never
// become members of a model.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

namespace lc {

class Probe {
 public:
  virtual ~Probe() = default;
  // name: what is observed ("hidden", "attention_weights"), layer: counted from 0, -1 for the whole
  // model. value is detached and must not be written to.
  virtual void observe(std::string_view name, int64_t layer, const at::Tensor& value) = 0;
};

}  // namespace lc

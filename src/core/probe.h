// An optional observer handed to LanguageModel::step. Absent, it costs nothing; diagnostics never
// become members of a model.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

namespace lc {

// What a measured number may be; a share lies between 0 and 1.
enum class MeasureKind { kShare, kNumber };

class Probe {
 public:
  virtual ~Probe() = default;
  // name: what is observed ("hidden", "attention_weights"), layer: counted from 0, -1 for the whole
  // model. value is detached and must not be written to.
  virtual void observe(std::string_view name, int64_t layer, const at::Tensor& value) = 0;
  // Numbers about the model that people read ("gate"); values has any shape and isn't empty.
  virtual void measure(std::string_view /*name*/, int64_t /*layer*/, const at::Tensor& /*values*/,
                       MeasureKind /*kind*/) {}
};

}  // namespace lc

// An optional observer handed to LanguageModel::step. Absent, it costs nothing; diagnostics never
// become members of a model.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace lc {

// What a measured number may be; a share lies between 0 and 1.
enum class MeasureKind { kShare, kNumber };

// Keys of one kind that stand side by side under a softmax, oldest first. Places count from the
// segment: its first input is 0, the newest key of what stands before it -1; compressed slots are
// counted among themselves.
struct KeyStretch {
  std::string_view kind;  // "compressed", "memory", "segment"
  int64_t keys = 0;       // columns of the weights
  int64_t first = 0;      // place of the first of them
  int64_t oldest = 0;     // place of the first once the kind is full
};

// A part of what heads mix that comes from a memory without keys.
struct KeylessShare {
  std::string_view kind;
  at::Tensor share_BH;  // 0 .. 1; the softmax over keys has the rest
};

// One layer's attention to the segment of one call: B lanes, H heads, T queries, K keys.
struct AttentionReading {
  int64_t layer = 0;
  at::Tensor weights_BHTK;  // of the softmax, before dropout
  at::Tensor mask;       // added to the scores: 0 where visible, else -inf; [T, K] or [B, 1, T, K]
  at::Tensor scored_BT;  // 0: a query whose target isn't scored, padding among them
  std::vector<KeyStretch> stretches;  // the K columns, in order
  std::vector<KeylessShare> keyless = {};
};

class Probe {
 public:
  virtual ~Probe() = default;
  // name: what is observed ("hidden", "attention_weights"), layer: counted from 0, -1 for the whole
  // model. value is detached and must not be written to.
  virtual void observe(std::string_view name, int64_t layer, const at::Tensor& value) = 0;
  // Numbers about the model that people read ("gate"); values has any shape and isn't empty.
  virtual void measure(std::string_view /*name*/, int64_t /*layer*/, const at::Tensor& /*values*/,
                       MeasureKind /*kind*/) {}
  // Where a layer attends to, once a call. Tensors are detached and must not be written to.
  virtual void attended(const AttentionReading& /*reading*/) {}
};

}  // namespace lc

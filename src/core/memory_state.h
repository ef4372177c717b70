// What a model carries from one segment to the next, as a value.
//
// A MemoryState holds, for every layer, named queues. A queue is a tensor whose dimension 0 is the
// lane and, if it is counted, whose dimension 1 is the slot: the newest entry stands last, and of
// lane b only the last fill_B[b] slots are filled. What stands in other slots is meaningless.
// select, replace and concat keep what slots a queue has, wider than its fill where lanes differ;
// the next append keeps the newest again.
// Beside the folded memory a state holds the open part of the running segment: queues of the
// mixers' own, present only between a call that keeps the segment open and the one that folds it.
//
// States are move-only and immutable as to their tensors: clone() shares storage and is cheap. A
// state that was moved from throws when it is used.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/named_tensors.h"

namespace lc {

// training: queues hold what the layers' gradients can flow into (layer inputs).
// inference: queues may hold projections under the current weights; never saved.
enum class MemoryUse { kTraining, kInference };

struct MemoryQueue {
  std::string name;             // "memory", "memory.keys", ...
  at::Tensor slots;             // [B, slots, ...] if counted, else [B, ...]; any dtype
  std::vector<int64_t> fill_B;  // filled slots per lane; empty: the queue is not counted

  bool counted() const { return !fill_B.empty(); }
};

struct LayerMemory {
  std::vector<MemoryQueue> queues;

  const MemoryQueue& queue(std::string_view name) const;  // absent: a slip, LC_CHECK
  const MemoryQueue* find(std::string_view name) const;   // absent: nullptr
};

// The queue with rows_BT... appended at the newest end and only the newest capacity slots kept.
// In lanes with padding (padded_B) the queue becomes empty: such a lane starts anew next.
MemoryQueue append(const MemoryQueue& queue, const at::Tensor& rows_BT, int64_t capacity,
                   const std::vector<char>& padded_B);

// Rows [n, count, ...] for n lanes; other lanes get none.
struct LaneRows {
  std::vector<int64_t> lanes;  // by index in the batch
  at::Tensor rows;
};
// The same where lanes get different numbers of rows; no lane stands in two of the parts.
MemoryQueue append(const MemoryQueue& queue, const std::vector<LaneRows>& parts, int64_t capacity,
                   const std::vector<char>& padded_B);

class MemoryState {
 public:
  // One entry per layer in layers; open may be empty, or as long. version: of the weights that an
  // inference memory was projected with.
  MemoryState(int64_t lanes, MemoryUse use, std::vector<LayerMemory> layers,
              std::vector<LayerMemory> open, int64_t version);
  MemoryState(MemoryState&& other) noexcept;
  MemoryState& operator=(MemoryState&& other) noexcept;

  MemoryState clone() const;   // shares storage
  MemoryState detach() const;  // the same numbers, no gradient history
  // The same numbers, every floating tensor a leaf that gathers a gradient of its own.
  MemoryState as_leaves() const;
  // What a backward pass left in as_leaves(), queue by queue, those of open parts last; undefined
  // where nothing arrived.
  std::vector<at::Tensor> gradients() const;

  int64_t lanes() const;
  MemoryUse use() const;
  int64_t version() const;
  int64_t layer_count() const;
  const LayerMemory& layer(int64_t index) const;
  const LayerMemory& open(int64_t index) const;  // empty LayerMemory if nothing is open
  int64_t open_length() const;                   // positions of the running segment seen so far

  MemoryState select(int64_t first_lane, int64_t count) const;
  // Lanes with chosen_B = 1 taken from other, which must have as many lanes; the rest from here.
  MemoryState replace(const std::vector<char>& chosen_B, const MemoryState& other) const;
  static MemoryState concat(const std::vector<MemoryState>& parts);  // along lanes, in order
  MemoryState to(at::Device device) const;

  int64_t bytes() const;  // of all queues, as stored

  NamedTensors save() const;  // training memory between segments only (nothing open)
  // What save() gave. like: initial memory of the same model and lanes, whose queues it must have;
  // anything missing, unknown or misshapen is an Error(kData) that names source.
  static MemoryState load(const NamedTensors& tensors, const MemoryState& like,
                          const std::string& source);

 private:
  void alive() const;
  template <typename F>
  MemoryState map(int64_t lanes, F&& change) const;

  int64_t lanes_ = -1;  // -1: moved from
  MemoryUse use_ = MemoryUse::kTraining;
  int64_t version_ = 0;
  std::vector<LayerMemory> layers_;
  std::vector<LayerMemory> open_;
};

}  // namespace lc

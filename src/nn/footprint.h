// What a model holds for one lane of text, by formula: the memory table of Munkhdalai et al. (2024,
// table 1) for any mixer.
//
// carried: what goes from segment to segment once memory is full, as MemoryState::bytes() measures
// it. The paper counts the numbers of it; in Transformer-XL they are keys and values, which is what
// MemoryUse::kInference holds. Counters (ages of slots, tokens stored) are told apart.
// In a segment, beside that, at the peak:
//   rows: what every layer keeps of the segment itself until it is folded, at its full length:
//     keys and values, or layer inputs, as the memory's queues have them.
//   attention: keys, values and weights of a softmax over the whole segment in one pass. Layers
//     come one after the other, so that of the layer with the most.
// What all models have alike is left out: weights, hidden states, queries, feed-forward, logits.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace lc {

struct Held {
  int64_t numbers = 0;   // floating-point
  int64_t counters = 0;  // int64
  int64_t bytes = 0;     // of both

  static Held floating(int64_t numbers, at::ScalarType type);
  static Held counting(int64_t counters);
  Held& operator+=(const Held& other);
  bool operator==(const Held& other) const = default;
};
Held operator+(Held a, const Held& b);

// Of one layer.
struct LayerFootprint {
  Held carried;
  Held rows;
  Held attention;
};

// Of a whole model.
struct Footprint {
  Held carried;
  Held rows;
  Held attention;                // of the layer with the most
  std::optional<int64_t> reach;  // tokens before a segment that can change what it gives

  Held in_segment() const { return rows + attention; }
};

}  // namespace lc

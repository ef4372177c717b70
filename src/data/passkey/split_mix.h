// SplitMix64 (Steele, Lea, Flood 2014) as a sequence: what passkey samples are drawn with, so that
// other programs can draw the same ones.
#pragma once

#include <cstdint>

#include "core/rng.h"

namespace lc {

class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t state) : state_(state) {}

  uint64_t next() {
    const uint64_t bits = hash_bits(state_);
    state_ += 0x9E3779B97F4A7C15ULL;
    return bits;
  }
  int64_t below(int64_t n) { return static_cast<int64_t>(next() % static_cast<uint64_t>(n)); }

 private:
  uint64_t state_;
};

// The generator of one sample of a series.
struct SampleNumber {
  uint64_t seed = 1;
  uint64_t index = 0;

  SplitMix64 generator() const { return SplitMix64(seed * 1000003 + index); }
};

}  // namespace lc

// Random draws as pure functions of a key, so that resume, replay, accumulation chunks and
// processes all see the same numbers. There is no generator with a state anywhere.
//
// The hash is the finaliser of SplitMix64 (Steele, Lea, Flood 2014), applied to key + counter.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace lc {

uint64_t hash_bits(uint64_t value);
uint64_t hash_text(std::string_view text);           // FNV-1a, then hash_bits
uint64_t combine_keys(uint64_t key, uint64_t next);  // order matters
double uniform_from_bits(uint64_t bits);             // in [0, 1), 53 bits

// What a dropout mask depends on besides its site: the run's seed and the place in the data.
struct RandomKey {
  uint64_t seed = 0;
  int64_t epoch = 0;
  int64_t segment = 0;

  // The key of one site ("attention"), in one layer (-1: none).
  uint64_t site(std::string_view name, int64_t layer) const;
};

// Dropout mask [B, shape_per_lane...]: 1/(1-rate) where kept, 0 where dropped, in the dtype and on
// the device of options. Row b depends on key and lanes_B[b] alone, not on B. Elements are counted
// from the end of the last dimension, so that a mask over keys doesn't depend on how many older
// slots stand in front. shape_per_lane's last dimension is at most 2^24.
at::Tensor dropout_mask(uint64_t key, const std::vector<int64_t>& lanes_B,
                        at::IntArrayRef shape_per_lane, double rate,
                        const at::TensorOptions& options);

// Standard normal draws (Box-Muller, in float64) on the CPU, float64; element i depends on key, i.
at::Tensor normal_draws(uint64_t key, at::IntArrayRef shape);

}  // namespace lc

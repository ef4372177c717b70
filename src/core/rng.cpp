#include "core/rng.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <numbers>

#include "core/error.h"

namespace lc {
namespace {

constexpr uint64_t kGolden = 0x9E3779B97F4A7C15ULL;
constexpr uint64_t kFirst = 0xBF58476D1CE4E5B9ULL;
constexpr uint64_t kSecond = 0x94D049BB133111EBULL;
constexpr int kColumnBits = 24;

// The top 32 bits of the hash are compared with this: dropped where below.
uint64_t drop_threshold(double rate) {
  return static_cast<uint64_t>(std::llround(rate * 4294967296.0));
}

template <typename T>
void fill_mask(T* out, uint64_t key, int64_t rows, int64_t columns, double rate) {
  const uint64_t threshold = drop_threshold(rate);
  const T kept = static_cast<T>(1.0 / (1.0 - rate));
  at::parallel_for(0, rows, 1 + 32768 / (columns + 1), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      T* row = out + r * columns;
      const uint64_t base = static_cast<uint64_t>(r) << kColumnBits;
      for (int64_t c = 0; c < columns; ++c) {
        const uint64_t bits = hash_bits(key + (base | static_cast<uint64_t>(columns - 1 - c)));
        row[c] = (bits >> 32) < threshold ? T(0) : kept;
      }
    }
  });
}

// The same bits by int64 tensor operations, for devices other than the CPU.
at::Tensor logical_shift(const at::Tensor& x, int64_t by) {
  return at::bitwise_and(at::bitwise_right_shift(x, by), at::Scalar((int64_t{1} << (64 - by)) - 1));
}

at::Tensor hashed(at::Tensor x) {
  x = x + static_cast<int64_t>(kGolden);
  x = at::bitwise_xor(x, logical_shift(x, 30)) * static_cast<int64_t>(kFirst);
  x = at::bitwise_xor(x, logical_shift(x, 27)) * static_cast<int64_t>(kSecond);
  return at::bitwise_xor(x, logical_shift(x, 31));
}

}  // namespace

uint64_t hash_bits(uint64_t x) {
  x += kGolden;
  x = (x ^ (x >> 30)) * kFirst;
  x = (x ^ (x >> 27)) * kSecond;
  return x ^ (x >> 31);
}

uint64_t hash_text(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  }
  return hash_bits(hash);
}

uint64_t combine_keys(uint64_t key, uint64_t next) { return hash_bits(hash_bits(key) ^ next); }

double uniform_from_bits(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

uint64_t RandomKey::site(std::string_view name, int64_t layer) const {
  uint64_t key = combine_keys(seed, hash_text(name));
  for (const int64_t part : {layer, epoch, segment}) {
    key = combine_keys(key, static_cast<uint64_t>(part));
  }
  return key;
}

at::Tensor dropout_mask(uint64_t key, const std::vector<int64_t>& lanes_B,
                        at::IntArrayRef shape_per_lane, double rate,
                        const at::TensorOptions& options) {
  LC_CHECK(rate > 0 && rate < 1 && !shape_per_lane.empty());
  const int64_t columns = shape_per_lane.back();
  LC_CHECK(columns < (int64_t{1} << kColumnBits));
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < shape_per_lane.size(); ++i) rows *= shape_per_lane[i];
  std::vector<int64_t> shape{static_cast<int64_t>(lanes_B.size())};
  shape.insert(shape.end(), shape_per_lane.begin(), shape_per_lane.end());

  const bool on_cpu = options.device().is_cpu();
  if (on_cpu && (options.dtype() == at::kFloat || options.dtype() == at::kDouble)) {
    at::Tensor mask = at::empty(shape, options);
    for (size_t b = 0; b < lanes_B.size(); ++b) {
      const uint64_t lane_key = combine_keys(key, static_cast<uint64_t>(lanes_B[b]));
      at::Tensor row = mask[static_cast<int64_t>(b)];
      if (mask.scalar_type() == at::kFloat) {
        fill_mask(row.mutable_data_ptr<float>(), lane_key, rows, columns, rate);
      } else {
        fill_mask(row.mutable_data_ptr<double>(), lane_key, rows, columns, rate);
      }
    }
    return mask;
  }
  const auto integers = at::TensorOptions().dtype(at::kLong).device(options.device());
  std::vector<int64_t> keys;
  for (const int64_t lane : lanes_B) {
    keys.push_back(static_cast<int64_t>(combine_keys(key, static_cast<uint64_t>(lane))));
  }
  const at::Tensor keys_B11 = at::tensor(keys, at::kLong).to(options.device()).view({-1, 1, 1});
  const at::Tensor row_R1 = at::arange(rows, integers).view({-1, 1}) * (int64_t{1} << kColumnBits);
  const at::Tensor column_C = (columns - 1) - at::arange(columns, integers);
  const at::Tensor bits = hashed(keys_B11 + (row_R1 + column_C));
  const at::Tensor kept = logical_shift(bits, 32) >= static_cast<int64_t>(drop_threshold(rate));
  return (kept.to(options.dtype()) * (1.0 / (1.0 - rate))).view(shape);
}

at::Tensor normal_draws(uint64_t key, at::IntArrayRef shape) {
  at::Tensor draws = at::empty(shape, at::kDouble);
  double* out = draws.mutable_data_ptr<double>();
  at::parallel_for(0, draws.numel(), 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto pair = static_cast<uint64_t>(i / 2) * 2;
      const double radius = std::sqrt(-2.0 * std::log1p(-uniform_from_bits(hash_bits(key + pair))));
      const double angle = 2.0 * std::numbers::pi * uniform_from_bits(hash_bits(key + pair + 1));
      out[i] = radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
    }
  });
  return draws;
}

}  // namespace lc

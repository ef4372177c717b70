#include "core/rng.h"

#include <ATen/ATen.h>

#include <cmath>

#include "catch.h"

namespace lc {
namespace {

at::Tensor mask(const std::vector<int64_t>& lanes, at::IntArrayRef shape, at::ScalarType type) {
  return dropout_mask(77, lanes, shape, 0.3, at::TensorOptions().dtype(type));
}

}  // namespace

TEST_CASE("The hash is SplitMix64", "[rng]") {
  // First outputs of the published generator with seeds 0 and 1234567.
  CHECK(hash_bits(0) == 0xE220A8397B1DCDAFULL);
  CHECK(hash_bits(0x9E3779B97F4A7C15ULL) == 0x6E789E6AA1B965F4ULL);
  CHECK(hash_bits(1234567) == 6457827717110365317ULL);
}

TEST_CASE("Keys depend on every part and on its place", "[rng]") {
  CHECK(combine_keys(1, 2) != combine_keys(2, 1));
  const RandomKey key{5, 1, 2};
  CHECK(key.site("a", 0) == RandomKey{5, 1, 2}.site("a", 0));
  CHECK(key.site("a", 0) != key.site("b", 0));
  CHECK(key.site("a", 0) != key.site("a", 1));
  CHECK(key.site("a", 0) != RandomKey{5, 2, 1}.site("a", 0));
  CHECK(key.site("a", 0) != RandomKey{6, 1, 2}.site("a", 0));
  CHECK(uniform_from_bits(0) == 0);
  CHECK(uniform_from_bits(~0ULL) < 1);
}

TEST_CASE("Masks keep elements at the rate and scale them", "[rng]") {
  const at::Tensor drawn = mask({0, 1}, {100, 500}, at::kDouble);
  const double kept = drawn.gt(0).to(at::kDouble).mean().item<double>();
  CHECK(std::abs(kept - 0.7) < 5 * std::sqrt(0.21 / 1e5));
  CHECK(drawn.max().item<double>() == 1.0 / 0.7);
  CHECK(drawn.min().item<double>() == 0);
}

TEST_CASE("A lane's mask depends on the lane alone, not on its neighbours", "[rng]") {
  const at::Tensor all = mask({0, 1, 2, 3}, {5, 9}, at::kFloat);
  const at::Tensor part = mask({3, 1}, {5, 9}, at::kFloat);
  CHECK(at::equal(part[0], all[3]));
  CHECK(at::equal(part[1], all[1]));
  CHECK_FALSE(at::equal(all[0], all[1]));
}

TEST_CASE("A mask over keys doesn't change with older slots in front", "[rng]") {
  const at::Tensor narrow = mask({4}, {6, 10}, at::kFloat);
  const at::Tensor wide = mask({4}, {6, 25}, at::kFloat);
  CHECK(at::equal(wide.narrow(2, 15, 10), narrow));
}

TEST_CASE("Tensor operations draw the bits that the loop draws", "[rng]") {
  // Half precision takes the path by tensor operations on the CPU as well.
  const at::Tensor loop = mask({0, 7, 1000000}, {3, 4, 33}, at::kFloat);
  const at::Tensor tensors = mask({0, 7, 1000000}, {3, 4, 33}, at::kBFloat16);
  CHECK(at::equal(loop.gt(0), tensors.gt(0)));
  CHECK(at::equal(loop.gt(0), mask({0, 7, 1000000}, {3, 4, 33}, at::kDouble).gt(0)));
}

TEST_CASE("Normal draws are standard normal and always the same", "[rng]") {
  const at::Tensor draws = normal_draws(3, {200, 500});
  CHECK(at::equal(draws, normal_draws(3, {200, 500})));
  CHECK(at::equal(draws.flatten().narrow(0, 0, 77), normal_draws(3, {77})));
  CHECK_FALSE(at::equal(draws, normal_draws(4, {200, 500})));
  const double n = 1e5;
  CHECK(std::abs(draws.mean().item<double>()) < 5 / std::sqrt(n));
  CHECK(std::abs(draws.square().mean().item<double>() - 1) < 5 * std::sqrt(2 / n));
  CHECK(std::abs(draws.pow(3).mean().item<double>()) < 5 * std::sqrt(15 / n));
  CHECK(std::abs(draws.pow(4).mean().item<double>() - 3) < 5 * std::sqrt(96 / n));
}

}  // namespace lc

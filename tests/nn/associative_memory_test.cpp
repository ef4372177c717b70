#include "nn/infini/associative_memory.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "catch.h"
#include "core/rng.h"

namespace {

using lc::AssociativeMemory;
using lc::MemoryUpdate;
using lc::NormalizerUpdate;

at::Tensor draws(uint64_t seed, std::vector<int64_t> shape) {
  return lc::normal_draws(seed, shape);
}

AssociativeMemory nothing(int64_t lanes, int64_t heads, int64_t d) {
  return {at::zeros({lanes, heads, d, d}, at::kDouble), at::zeros({lanes, heads, d}, at::kDouble)};
}

double sigma(double x) { return x >= 0 ? x + 1 : std::exp(x); }

// One lane and head, written from the formulas with loops over single numbers.
struct SlowMemory {
  int64_t d;
  std::vector<double> m;  // [d, d]
  std::vector<double> z;  // [d]

  std::vector<double> read(const std::vector<double>& s) const {
    double denominator = 0;
    for (int64_t i = 0; i < d; ++i) denominator += s[at(i)] * z[at(i)];
    std::vector<double> value(at(d));
    for (int64_t i = 0; i < d; ++i) {
      for (int64_t j = 0; j < d; ++j) value[at(j)] += s[at(i)] * m[at(i * d + j)];
    }
    for (double& v : value) v /= std::max(denominator, 1e-6);
    return value;
  }

  void write(const at::Tensor& k_Td, const at::Tensor& v_Td, lc::WriteRule rule) {
    const SlowMemory old = *this;
    for (int64_t t = 0; t < k_Td.size(0); ++t) {
      std::vector<double> s(at(d));
      double squares = 0;
      double overlap = 0;
      for (int64_t i = 0; i < d; ++i) {
        s[at(i)] = sigma(k_Td[t][i].item<double>());
        squares += s[at(i)] * s[at(i)];
        overlap += s[at(i)] * old.z[at(i)];
      }
      std::vector<double> known(at(d));
      if (rule.update == MemoryUpdate::kDelta) known = old.read(s);
      const double share = rule.normalizer == NormalizerUpdate::kGamma
                               ? std::clamp(1 - overlap / squares, 0.0, 1.0)
                               : 1.0;
      for (int64_t i = 0; i < d; ++i) {
        for (int64_t j = 0; j < d; ++j) {
          m[at(i * d + j)] += s[at(i)] * (v_Td[t][j].item<double>() - known[at(j)]);
        }
        z[at(i)] += share * s[at(i)];
      }
    }
  }

  static size_t at(int64_t i) { return static_cast<size_t>(i); }
};

}  // namespace

TEST_CASE("memory agrees with its formulas written out number by number") {
  const int64_t d = 3;
  for (const auto update : {MemoryUpdate::kLinear, MemoryUpdate::kDelta}) {
    for (const auto normalizer : {NormalizerUpdate::kSum, NormalizerUpdate::kGamma}) {
      const lc::WriteRule rule{update, normalizer};
      AssociativeMemory memory = nothing(2, 2, d);
      std::vector<SlowMemory> slow(4, {d, std::vector<double>(9), std::vector<double>(3)});
      for (uint64_t segment = 0; segment < 3; ++segment) {
        const at::Tensor k = draws(10 * segment, {2, 2, 4, d});
        const at::Tensor v = draws(10 * segment + 1, {2, 2, 4, d});
        const at::Tensor q = draws(10 * segment + 2, {2, 2, 1, d});
        const at::Tensor read = lc::read_memory(memory, lc::memory_features(q));
        memory = lc::write_memory(memory, lc::memory_features(k), v, rule);
        for (int64_t b = 0; b < 2; ++b) {
          for (int64_t h = 0; h < 2; ++h) {
            SlowMemory& one = slow[static_cast<size_t>(2 * b + h)];
            std::vector<double> s;
            for (int64_t i = 0; i < d; ++i) s.push_back(sigma(q[b][h][0][i].item<double>()));
            const auto expected = one.read(s);
            one.write(k[b][h], v[b][h], rule);
            for (int64_t i = 0; i < d; ++i) {
              const auto at = static_cast<size_t>(i);
              CHECK(read[b][h][0][i].item<double>() == Approx(expected[at]).margin(1e-12));
              CHECK(memory.normalizer_BHd[b][h][i].item<double>() == Approx(one.z[at]));
              for (int64_t j = 0; j < d; ++j) {
                CHECK(memory.matrix_BHdd[b][h][i][j].item<double>() ==
                      Approx(one.m[static_cast<size_t>(i * d + j)]).margin(1e-12));
              }
            }
          }
        }
      }
    }
  }
}

TEST_CASE("a linear memory reads a mean of what it was given") {
  AssociativeMemory memory = nothing(1, 1, 4);
  std::vector<at::Tensor> values;
  for (uint64_t segment = 0; segment < 3; ++segment) {
    values.push_back(draws(100 + segment, {1, 1, 5, 4}));
    memory = lc::write_memory(memory, lc::memory_features(draws(200 + segment, {1, 1, 5, 4})),
                              values.back(), {MemoryUpdate::kLinear, NormalizerUpdate::kSum});
  }
  const at::Tensor all = at::cat(values, 2);
  const at::Tensor read =
      lc::read_memory(memory, lc::memory_features(draws(300, {1, 1, 50, 4}) * 5));
  CHECK(at::all(read.le(all.amax(2, true) + 1e-12)).item<bool>());
  CHECK(at::all(read.ge(all.amin(2, true) - 1e-12)).item<bool>());
}

TEST_CASE("an empty memory reads zero and gives finite gradients") {
  const AssociativeMemory memory = nothing(1, 2, 3);
  const at::Tensor q = draws(7, {1, 2, 4, 3}).requires_grad_(true);
  const at::Tensor read = lc::read_memory(memory, lc::memory_features(q));
  CHECK(read.abs().max().item<double>() == 0.0);
  read.sum().backward();
  CHECK(q.grad().isfinite().all().item<bool>());
}

TEST_CASE("keys whose features vanish in float32 leave memory finite") {
  AssociativeMemory memory{at::zeros({1, 1, 2, 2}), at::zeros({1, 1, 2})};
  const at::Tensor k = at::full({1, 1, 3, 2}, -70.0);
  for (int segment = 0; segment < 3; ++segment) {
    memory = lc::write_memory(memory, lc::memory_features(k), at::ones({1, 1, 3, 2}),
                              {MemoryUpdate::kDelta, NormalizerUpdate::kGamma});
  }
  CHECK(memory.matrix_BHdd.isfinite().all().item<bool>());
  CHECK(memory.normalizer_BHd.isfinite().all().item<bool>());
}

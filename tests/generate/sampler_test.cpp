// Draws against closed forms: temperatures, cut sets, frequencies.
#include "generate/sampler.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "catch.h"
#include "core/error.h"
#include "core/rng.h"

namespace {

using lc::Candidate;
using lc::SamplingSettings;

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

at::Tensor logs(const std::vector<double>& probabilities) {
  std::vector<double> values;
  for (const double p : probabilities) values.push_back(std::log(p));
  return at::tensor(values, at::kDouble);
}

std::vector<int64_t> ids(const std::vector<double>& probabilities,
                         const SamplingSettings& settings) {
  std::vector<int64_t> found;
  for (const Candidate& one : lc::candidates(logs(probabilities), settings)) {
    found.push_back(one.id);
  }
  return found;
}

std::vector<double> shares(const std::vector<double>& probabilities,
                           const SamplingSettings& settings) {
  std::vector<double> found;
  for (const Candidate& one : lc::candidates(logs(probabilities), settings)) {
    found.push_back(one.probability);
  }
  return found;
}

void check_near(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(expected[i]).epsilon(1e-12));
}

using Ids = std::vector<int64_t>;

}  // namespace

TEST_CASE("temperature sharpens and flattens as its formula says", "[generate]") {
  const std::vector<double> p{0.1, 0.4, 0.2, 0.3};
  check_near(shares(p, {}), p);
  check_near(shares(p, {.temperature = 0.5}), {0.01 / 0.30, 0.16 / 0.30, 0.04 / 0.30, 0.09 / 0.30});
  const double roots = std::sqrt(0.1) + std::sqrt(0.4) + std::sqrt(0.2) + std::sqrt(0.3);
  check_near(shares(p, {.temperature = 2}), {std::sqrt(0.1) / roots, std::sqrt(0.4) / roots,
                                             std::sqrt(0.2) / roots, std::sqrt(0.3) / roots});
  for (const double share : shares(p, {.temperature = 1e12})) CHECK(share == Approx(0.25));
  CHECK(shares(p, {.temperature = 1e-3})[1] == 1.0);
  CHECK(shares(p, {.temperature = 1e-320})[1] == 1.0);
  CHECK(ids(p, {.temperature = 0}) == Ids{1});
}

TEST_CASE("of equally probable tokens temperature 0 takes the lowest", "[generate]") {
  CHECK(ids({0.2, 0.3, 0.2, 0.3}, {.temperature = 0}) == Ids{1});
  CHECK(ids({0.25, 0.25, 0.25, 0.25}, {.temperature = 0, .top_k = 3, .top_p = 0.1}) == Ids{0});
}

TEST_CASE("top-k keeps the k most probable", "[generate]") {
  const std::vector<double> p{0.1, 0.4, 0.2, 0.3};
  CHECK(ids(p, {.top_k = 1}) == Ids{1});
  CHECK(ids(p, {.top_k = 2}) == Ids{1, 3});
  CHECK(ids(p, {.top_k = 3}) == Ids{1, 2, 3});
  CHECK(ids(p, {.top_k = 4}) == Ids{0, 1, 2, 3});
  CHECK(ids(p, {.top_k = 1000}) == Ids{0, 1, 2, 3});
  CHECK(ids({0.2, 0.2, 0.2, 0.2, 0.2}, {.top_k = 2}) == Ids{0, 1});
  check_near(shares(p, {.top_k = 2}), {0.4 / 0.7, 0.3 / 0.7});
}

TEST_CASE("top-p keeps the fewest tokens that hold the share", "[generate]") {
  const std::vector<double> p{0.125, 0.5, 0.125, 0.25};
  CHECK(ids(p, {.top_p = 1e-9}) == Ids{1});
  CHECK(ids(p, {.top_p = 0.49}) == Ids{1});
  CHECK(ids(p, {.top_p = 0.51}) == Ids{1, 3});
  CHECK(ids(p, {.top_p = 0.74}) == Ids{1, 3});
  CHECK(ids(p, {.top_p = 0.76}) == Ids{0, 1, 3});
  CHECK(ids(p, {.top_p = 0.88}) == Ids{0, 1, 2, 3});
  CHECK(ids(p, {.top_p = 1}) == Ids{0, 1, 2, 3});
  check_near(shares(p, {.top_p = 0.7}), {0.5 / 0.75, 0.25 / 0.75});
}

TEST_CASE("top-p counts what temperature and top-k left", "[generate]") {
  const std::vector<double> p{0.125, 0.5, 0.125, 0.25};
  // Of the two most probable 2/3 and 1/3 are left.
  CHECK(ids(p, {.top_k = 2, .top_p = 0.66}) == Ids{1});
  CHECK(ids(p, {.top_k = 2, .top_p = 0.67}) == Ids{1, 3});
  // Squared, and of 11/32: 8/11, 2/11, 1/22, 1/22.
  CHECK(ids(p, {.temperature = 0.5, .top_p = 0.72}) == Ids{1});
  CHECK(ids(p, {.temperature = 0.5, .top_p = 0.73}) == Ids{1, 3});
}

TEST_CASE("cut sets equal those of a full sort", "[generate]") {
  for (uint64_t trial = 0; trial < 40; ++trial) {
    std::vector<double> p;
    for (uint64_t i = 0; i < 50; ++i) {
      p.push_back(0.01 + lc::uniform_from_bits(lc::hash_bits(lc::combine_keys(trial, i))));
    }
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& one : p) one /= sum;
    const auto k = static_cast<int64_t>(1 + trial);
    const double share = 0.02 * static_cast<double>(trial) + 0.013;

    Ids order(p.size());
    std::iota(order.begin(), order.end(), 0);
    const auto at = [&](int64_t id) { return p[static_cast<size_t>(id)]; };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return at(a) > at(b); });
    order.resize(static_cast<size_t>(k));
    double left = 0;
    for (const int64_t id : order) left += at(id);
    Ids expected;
    double held = 0;
    for (const int64_t id : order) {
      if (held >= share * left) break;
      expected.push_back(id);
      held += at(id);
    }
    std::sort(expected.begin(), expected.end());
    CHECK(ids(p, {.top_k = k, .top_p = share}) == expected);
  }
}

TEST_CASE("a share of the summed probabilities falls on one token", "[generate]") {
  const std::vector<Candidate> tokens{{3, 0.25}, {5, 0.0}, {7, 0.5}, {9, 0.25}};
  CHECK(lc::pick(tokens, 0) == 3);
  CHECK(lc::pick(tokens, 0.2499) == 3);
  CHECK(lc::pick(tokens, 0.25) == 7);
  CHECK(lc::pick(tokens, 0.7499) == 7);
  CHECK(lc::pick(tokens, 0.75) == 9);
  CHECK(lc::pick(tokens, 0.9999) == 9);
  // Sums that rounding left below 1 end at the last token that can be drawn.
  CHECK(lc::pick({{1, 0.5}, {2, 0.4999}, {3, 0.0}}, 0.99999) == 2);
}

TEST_CASE("tokens are drawn as often as they are probable", "[generate]") {
  const std::vector<double> p{0.05, 0.45, 0.2, 0.3};
  const at::Tensor log_p = logs(p);
  constexpr int64_t kDraws = 20000;
  std::vector<int64_t> counts(p.size());
  std::vector<int64_t> after_one(p.size());  // what follows a token 1
  int64_t before = -1;
  for (int64_t position = 0; position < kDraws; ++position) {
    const int64_t id = lc::sample(log_p, {.seed = 7}, position);
    ++counts[static_cast<size_t>(id)];
    if (before == 1) ++after_one[static_cast<size_t>(id)];
    before = id;
  }
  const auto check = [&](const std::vector<int64_t>& found) {
    const auto n = static_cast<double>(std::accumulate(found.begin(), found.end(), int64_t{0}));
    for (size_t i = 0; i < p.size(); ++i) {
      const double deviation = std::sqrt(n * p[i] * (1 - p[i]));
      CHECK(std::abs(static_cast<double>(found[i]) - n * p[i]) < 4 * deviation);
    }
  };
  check(counts);
  check(after_one);
}

TEST_CASE("a draw depends on seed and position alone", "[generate]") {
  const at::Tensor log_p = logs(std::vector<double>(64, 1.0 / 64));
  const auto draws = [&](uint64_t seed) {
    std::vector<int64_t> found;
    for (int64_t i = 0; i < 32; ++i) found.push_back(lc::sample(log_p, {.seed = seed}, i));
    return found;
  };
  CHECK(draws(1) == draws(1));
  CHECK(draws(1) != draws(2));
  const std::vector<int64_t> found = draws(1);
  CHECK(lc::sample(log_p, {.seed = 1}, 20) == found[20]);
  CHECK(std::count(found.begin(), found.end(), found[0]) < 32);
}

TEST_CASE("probability zero is never drawn; what is no number is refused", "[generate]") {
  const at::Tensor some = at::tensor({kMinusInfinity, std::log(0.5), std::log(0.5)}, at::kDouble);
  for (int64_t i = 0; i < 200; ++i) CHECK(lc::sample(some, {}, i) > 0);
  const auto kind_of = [](const at::Tensor& log_p) {
    try {
      lc::sample(log_p, {}, 0);
    } catch (const lc::Error& error) {
      return error.kind();
    }
    return lc::ErrorKind::kStopped;
  };
  CHECK(kind_of(at::tensor({0.0, std::nan("")}, at::kDouble)) == lc::ErrorKind::kRuntime);
  CHECK(kind_of(at::full({3}, kMinusInfinity, at::kDouble)) == lc::ErrorKind::kRuntime);
}

TEST_CASE("sampling values out of range name their flag", "[generate]") {
  const auto fault = [](const SamplingSettings& settings) -> std::string {
    try {
      lc::check_sampling(settings);
    } catch (const lc::Error& error) {
      CHECK(error.kind() == lc::ErrorKind::kUsage);
      return error.what();
    }
    return "";
  };
  for (const double value : {-0.1, std::nan(""), std::numeric_limits<double>::infinity()}) {
    CHECK(fault({.temperature = value}).find("--temperature") == 0);
  }
  CHECK(fault({.top_k = -1}).find("--top-k: value -1") == 0);
  for (const double value : {0.0, -0.5, 1.5, std::nan("")}) {
    CHECK(fault({.top_p = value}).find("--top-p") == 0);
  }
  CHECK(fault({.temperature = 0, .top_k = 0, .top_p = 1}).empty());
}

#include "eval/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "catch.h"
#include "core/error.h"

namespace {

using lc::Block;
using lc::bootstrap_interval;
using lc::TextShape;
using lc::TokenScores;

TokenScores scores_of(const std::vector<double>& nll) {
  TokenScores scores{std::vector<int64_t>(nll.size()), nll};
  std::iota(scores.targets.begin(), scores.targets.end(), 1);
  return scores;
}

TextShape text_of(int64_t documents, int64_t tokens_each) {
  TextShape text;
  for (int64_t d = 0; d < documents; ++d) {
    text.documents.push_back({text.tokens, tokens_each});
    text.tokens += tokens_each;
  }
  return text;
}

TEST_CASE("Of two blocks, a quarter of the resamples is all one and a quarter all the other") {
  const auto even = bootstrap_interval({{2.0, 4}, {6.0, 4}});
  REQUIRE(even);
  CHECK(even->low == Approx(0.5));
  CHECK(even->high == Approx(1.5));
  // Blocks of unequal size: the ratio of sums, not the mean of ratios.
  const auto uneven = bootstrap_interval({{1.0, 1}, {0.0, 3}});
  CHECK(uneven->low == Approx(0.0));
  CHECK(uneven->high == Approx(1.0));
}

TEST_CASE("Equal blocks have an interval without width; one block has none") {
  const auto interval = bootstrap_interval(std::vector<Block>(50, Block{3.0, 2}));
  REQUIRE(interval);
  CHECK(interval->low == Approx(1.5));
  CHECK(interval->high == Approx(1.5));
  CHECK(!bootstrap_interval({{3.0, 2}}));
  CHECK(!bootstrap_interval({}));
  CHECK(!bootstrap_interval({{3.0, 2}, {std::nan(""), 2}, {1.0, 1}}));
  CHECK(!bootstrap_interval({{3.0, 2}, {std::numeric_limits<double>::infinity(), 2}}));
}

TEST_CASE("Of many independent blocks the interval is the normal one") {
  std::mt19937 random(8);
  std::normal_distribution<double> normal(3.0, 1.0);
  std::vector<Block> blocks;
  double sum = 0;
  double squares = 0;
  constexpr int64_t kCount = 900;
  for (int64_t i = 0; i < kCount; ++i) {
    const double value = normal(random);
    blocks.push_back({value * 10, 10});
    sum += value;
    squares += value * value;
  }
  const double mean = sum / kCount;
  const double deviation = std::sqrt((squares / kCount - mean * mean) / kCount);
  const auto interval = bootstrap_interval(blocks);
  REQUIRE(interval);
  // 2,000 resamples: an end has a standard error of about 0.06 deviations.
  CHECK(std::abs(interval->low - (mean - 1.96 * deviation)) < 0.25 * deviation);
  CHECK(std::abs(interval->high - (mean + 1.96 * deviation)) < 0.25 * deviation);
  const auto again = bootstrap_interval(blocks);
  CHECK(again->low == interval->low);
  CHECK(again->high == interval->high);
}

TEST_CASE("The exact distribution of three blocks") {
  // Means of the 27 resamples of {0, 1, 5}: P(0) = 1/27 > 2.5 %, P(5) = 1/27 > 2.5 %.
  const auto interval = bootstrap_interval({{0.0, 1}, {1.0, 1}, {5.0, 1}});
  REQUIRE(interval);
  CHECK(interval->low == Approx(0.0));
  CHECK(interval->high == Approx(5.0));
  // Of {0, 0, 0, 1}: the number of ones is binomial(4, 1/4): P(0) = 0.316, P(>= 3) = 0.051,
  // P(4) = 0.0039, so that 97.5 % is three ones.
  const auto skewed = bootstrap_interval({{0.0, 1}, {0.0, 1}, {0.0, 1}, {1.0, 1}});
  CHECK(skewed->low == Approx(0.0));
  CHECK(skewed->high == Approx(0.75));
}

TEST_CASE("Blocks are documents from thirty on, else a thousand tokens") {
  const TokenScores scores = scores_of(std::vector<double>(2999, 0.5));
  const lc::Blocks documents = make_blocks(scores, text_of(30, 100));
  CHECK(documents.unit == "documents");
  REQUIRE(documents.blocks.size() == 30);
  CHECK(documents.blocks[0].count == 99);
  CHECK(documents.blocks[29].count == 100);
  CHECK(documents.blocks[29].sum == Approx(50));

  const lc::Blocks tokens = make_blocks(scores, text_of(29, 104));
  CHECK(tokens.unit == "1000 tokens");
  REQUIRE(tokens.blocks.size() == 3);
  CHECK(tokens.blocks[0].count == 1000);
  CHECK(tokens.blocks[2].count == 999);

  // Thirty documents of which one has no scored token.
  CHECK(make_blocks(scores_of(std::vector<double>(2899, 0.5)), text_of(30, 100)).unit ==
        "1000 tokens");
}

TEST_CASE("A paired difference is taken over the tokens that both scored") {
  std::mt19937 random(9);
  std::normal_distribution<double> normal(3.0, 2.0);
  std::vector<double> nll(4000);
  for (double& value : nll) value = normal(random);
  const TokenScores a = scores_of(nll);
  TokenScores b = a;
  for (double& value : b.nll) value += 0.25;
  const TextShape text = text_of(1, 4001);
  const lc::PairedDifference difference = paired_difference(a, b, text);
  CHECK(difference.nats_per_token == Approx(-0.25));
  CHECK(difference.tokens == 4000);
  REQUIRE(difference.interval);
  // The tokens' own spread cancels.
  CHECK(difference.interval->low == Approx(-0.25));
  CHECK(difference.interval->high == Approx(-0.25));
  CHECK(paired_difference(b, a, text).nats_per_token == Approx(0.25));

  const TokenScores first{{1, 2, 3, 5}, {1, 1, 1, 1}};
  const TokenScores second{{2, 4, 5}, {3, 100, 4}};
  const lc::PairedDifference common = paired_difference(first, second, text_of(1, 6));
  CHECK(common.tokens == 2);
  CHECK(common.nats_per_token == Approx(-2.5));
  CHECK(!common.interval);
  CHECK_THROWS_AS(paired_difference(first, {{4}, {1}}, text_of(1, 6)), lc::Error);
}

}  // namespace

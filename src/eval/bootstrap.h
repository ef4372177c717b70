// 95% intervals by block bootstrap (Efron & Tibshirani 1993; Kuensch 1989): blocks of neighbouring
// tokens are drawn with replacement, so that the dependence inside a block is kept.
//
// Blocks are documents if 30 or more hold a scored token, else 1,000 scored tokens in a row (the
// last may be shorter). 2,000 resamples, seed 1, percentiles 2.5 and 97.5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/text_runs.h"
#include "eval/evaluator.h"

namespace lc {

struct Block {
  double sum = 0;
  int64_t count = 0;
};

struct Blocks {
  std::vector<Block> blocks;
  std::string unit;  // "documents" or "1000 tokens"
};
Blocks make_blocks(const TokenScores& scores, const TextShape& text);

inline constexpr int64_t kBlockTokens = 1000;
// The same blocks as places: where each ends among the targets.
struct BlockEnds {
  std::vector<size_t> ends;
  std::string unit;
};
BlockEnds block_ends(const std::vector<int64_t>& targets, const TextShape& text);

struct Interval {
  double low;
  double high;
};
inline constexpr int64_t kResamples = 2000;
inline constexpr uint64_t kBootstrapSeed = 1;
// Of sum / count over all blocks; none with fewer than two blocks, or where a sum isn't finite.
std::optional<Interval> bootstrap_interval(const std::vector<Block>& blocks);

// a's loss minus b's, for each token that both scored.
TokenScores paired_scores(const TokenScores& a, const TokenScores& b);

// The mean of those: below zero, a is better; not a number where a loss isn't finite.
struct PairedDifference {
  double nats_per_token;
  std::optional<Interval> interval;
  int64_t tokens;
  Blocks blocks;
};
// Error(kUsage) if the two have no target in common. The text is the one that both scored.
PairedDifference paired_difference(const TokenScores& a, const TokenScores& b,
                                   const TextShape& text);

}  // namespace lc

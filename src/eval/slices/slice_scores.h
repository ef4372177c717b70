// Losses summed up by slice: sums over the slices are those of the whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eval/bootstrap.h"
#include "eval/slices/slices.h"

namespace lc {

struct SliceScore {
  int64_t tokens = 0;
  double nats = 0;
  std::optional<int64_t> bytes;      // of the original text; none where tokens have no bytes
  std::optional<Interval> interval;  // 95%, of nats / tokens

  std::optional<double> nats_per_token() const;  // none: no token, or a loss that is not finite
  std::optional<double> bits_per_byte() const;
};

struct SlicedScores {
  std::vector<SliceScore> slices;
  SliceScore whole;
  std::string blocks;        // what intervals of slices are made of: "documents", "1000 tokens"
  std::string whole_blocks;  // and that of the whole
};

// scores: of the targets that were sliced. Intervals are block bootstraps over the blocks of the
// whole text that hold a token of the slice, or, where each slice is a text of its own, over 1,000
// tokens of it.
SlicedScores score_slices(const TokenFile& tokens, const Slicing& slicing,
                          const TokenScores& scores);

}  // namespace lc

// Which tokens and words one run predicts better than another: paired differences of two runs,
// summed up by token, by word, and by how often words occur in train.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eval/slices/slice_scores.h"

namespace lc {

// A minus B, so below zero A is better.
struct TokenGain {
  std::string text;           // visible_text; of words "(between words)" for what is no word
  std::optional<int64_t> id;  // of tokens
  int64_t count = 0;          // of its occurrences, scored in part or whole
  double nats = 0;            // summed over them
};

struct TokenGains {
  std::vector<TokenGain> tokens;  // by nats, ascending: those where A gains most come first
  std::vector<TokenGain> words;
  std::optional<Slicing> frequency;  // of the text's words in train
  std::optional<SlicedScores> by_frequency;
};

// differences: paired_scores() of the runs on this text. train: null where there is none.
TokenGains token_gains(const ReadableText& text, const TokenScores& differences,
                       const TokenFile* train);

}  // namespace lc

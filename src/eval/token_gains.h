// Which tokens and words one run predicts better than another: paired differences of two runs,
// summed up by token, by word, and by how often words occur in train.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "eval/slice_scores.h"

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

// {tokens: {a: [...], b: [...]}, words: {a, b}, frequency: [...] or null}: a lists what A predicts
// better, most total gain first, at most `top`, each {text, id, count, nats_total, nats_mean}; a
// bucket is {slice, from, to, tokens, nats_total, nats_mean, nats_low, nats_high}.
nlohmann::json gains_json(const TokenGains& gains, int64_t top);

// Columns: kind (token, word, frequency), text, id, from, to, count, nats_total, nats_mean,
// nats_low, nats_high; tokens and words as in JSON, A's first.
std::string gains_csv(const TokenGains& gains, int64_t top);

// Tables for stdout. Names are the runs'.
struct ComparedNames {
  std::string a;
  std::string b;
};
std::string gains_text(const TokenGains& gains, int64_t top, const ComparedNames& names);

}  // namespace lc

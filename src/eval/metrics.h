// From scored tokens to the numbers that are printed (PROTOCOL, units). Where a number is not
// defined it is absent, with the reason.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "data/token_file.h"
#include "eval/bootstrap.h"
#include "eval/evaluator.h"
#include "eval/units.h"

namespace lc {

struct Measures {
  int64_t tokens_scored = 0;
  double total_nats = 0;
  std::optional<double> nats_per_token;
  std::optional<double> perplexity;
  std::optional<double> bits_per_token;
  std::optional<double> bits_per_byte;
  std::optional<double> bits_per_character;
  std::optional<double> word_perplexity;
  std::optional<Interval> nats_interval;             // 95%, of nats_per_token
  std::optional<Interval> word_perplexity_interval;  // the same, in its unit
  std::string interval_blocks;                       // "documents", "1000 tokens"
  int64_t interval_block_count = 0;
  ScoredUnits units;
  std::map<std::string, std::string> reasons;  // of absent numbers, by name
};

// Sums in double, divided once. A loss that is not finite leaves every number absent.
Measures measure(const TokenFile& tokens, const TokenScores& scores);

// null where absent.
nlohmann::json optional_number(const std::optional<double>& value);
// nats_per_token, perplexity, bits_per_token, bits_per_byte, bits_per_character, word_perplexity.
nlohmann::json measures_json(const Measures& measures);
// nats_low, nats_high, word_perplexity_low, word_perplexity_high.
nlohmann::json intervals_json(const Measures& measures);

}  // namespace lc

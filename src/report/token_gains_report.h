// Gains of one run over another as people and programs read them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "eval/comparison/token_gains.h"

namespace lc {

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

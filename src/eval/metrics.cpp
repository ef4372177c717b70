#include "eval/metrics.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace lc {
namespace {

// amount / count, or the reason why not.
std::optional<double> per(double amount, const std::optional<int64_t>& count,
                          const std::string& absent_because, std::string& reason) {
  if (!count) {
    reason = absent_because;
    return {};
  }
  if (*count == 0) {
    reason = "what was scored holds none";
    return {};
  }
  return amount / static_cast<double>(*count);
}

void keep_reason(Measures& measures, const std::string& name, std::string reason) {
  if (!reason.empty()) measures.reasons[name] = std::move(reason);
}

void add_unit_measures(Measures& measures) {
  const ScoredUnits& units = measures.units;
  const double bits = measures.total_nats / std::numbers::ln2;
  std::string reason;
  measures.bits_per_byte = per(bits, units.bytes, units.bytes_reason, reason);
  keep_reason(measures, "bits_per_byte", std::exchange(reason, ""));
  measures.bits_per_character = per(bits, units.characters, units.characters_reason, reason);
  keep_reason(measures, "bits_per_character", std::exchange(reason, ""));
  const auto word = per(measures.total_nats, units.words, units.words_reason, reason);
  keep_reason(measures, "word_perplexity", std::exchange(reason, ""));
  if (word) measures.word_perplexity = std::exp(*word);
}

void all_absent(Measures& measures, const std::string& reason) {
  for (const char* name : {"nats_per_token", "perplexity", "bits_per_token", "bits_per_byte",
                           "bits_per_character", "word_perplexity"}) {
    measures.reasons[name] = reason;
  }
}

}  // namespace

Measures measure(const TokenFile& tokens, const TokenScores& scores) {
  Measures measures;
  measures.tokens_scored = scores.size();
  for (const double nll : scores.nll) measures.total_nats += nll;
  measures.units = scored_units(tokens, scores);
  if (scores.size() == 0) {
    all_absent(measures, "nothing was scored");
    return measures;
  }
  if (!std::isfinite(measures.total_nats)) {
    all_absent(measures, "the loss of a token is not finite");
    return measures;
  }
  measures.nats_per_token = measures.total_nats / static_cast<double>(scores.size());
  measures.perplexity = std::exp(*measures.nats_per_token);
  measures.bits_per_token = *measures.nats_per_token / std::numbers::ln2;
  add_unit_measures(measures);
  const Blocks blocks = make_blocks(scores, text_shape(tokens));
  measures.nats_interval = bootstrap_interval(blocks.blocks);
  measures.interval_blocks = blocks.unit;
  measures.interval_block_count = static_cast<int64_t>(blocks.blocks.size());
  if (!measures.nats_interval) {
    measures.reasons["intervals"] = "fewer than two blocks of " + blocks.unit;
  }
  return measures;
}

nlohmann::json optional_number(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return *value;
}

nlohmann::json measures_json(const Measures& measures) {
  return {{"nats_per_token", optional_number(measures.nats_per_token)},
          {"perplexity", optional_number(measures.perplexity)},
          {"bits_per_token", optional_number(measures.bits_per_token)},
          {"bits_per_byte", optional_number(measures.bits_per_byte)},
          {"bits_per_character", optional_number(measures.bits_per_character)},
          {"word_perplexity", optional_number(measures.word_perplexity)}};
}

}  // namespace lc

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

// Infinite where a number of this size can't be written, with the reason.
double perplexity_of(double nats, const std::string& name, Measures& measures) {
  const double value = std::exp(nats);
  if (!std::isfinite(value)) measures.reasons[name] = "larger than a 64-bit number can be";
  return value;
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
  if (word) measures.word_perplexity = perplexity_of(*word, "word_perplexity", measures);
}

// The words are what they are: the interval is that of the losses.
void add_intervals(const Blocks& blocks, Measures& measures) {
  measures.interval_blocks = blocks.unit;
  measures.interval_block_count = static_cast<int64_t>(blocks.blocks.size());
  measures.nats_interval = bootstrap_interval(blocks.blocks);
  if (!measures.nats_interval) {
    measures.reasons["intervals"] = "fewer than two blocks of " + blocks.unit;
    return;
  }
  if (!measures.word_perplexity) return;
  const double tokens_per_word =
      static_cast<double>(measures.tokens_scored) / static_cast<double>(*measures.units.words);
  const auto in_words = [&](double nats) { return std::exp(nats * tokens_per_word); };
  measures.word_perplexity_interval = {in_words(measures.nats_interval->low),
                                       in_words(measures.nats_interval->high)};
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
  measures.perplexity = perplexity_of(*measures.nats_per_token, "perplexity", measures);
  measures.bits_per_token = *measures.nats_per_token / std::numbers::ln2;
  add_unit_measures(measures);
  add_intervals(make_blocks(scores, text_shape(tokens)), measures);
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

nlohmann::json intervals_json(const Measures& measures) {
  nlohmann::json json;
  const auto add = [&](const std::string& name, const std::optional<Interval>& interval) {
    json[name + "_low"] = interval ? optional_number(interval->low) : nlohmann::json();
    json[name + "_high"] = interval ? optional_number(interval->high) : nlohmann::json();
  };
  add("nats", measures.nats_interval);
  add("word_perplexity", measures.word_perplexity_interval);
  return json;
}

}  // namespace lc

#include "eval/records.h"

#include <cmath>
#include <numbers>
#include <optional>

#include "eval/metrics.h"
#include "eval/units.h"

namespace lc {
namespace {

// The sum of a size over token ids; absent where one has none of its own.
std::optional<int64_t> total_size(const std::vector<int64_t>& ids,
                                  const std::vector<int64_t>& sizes_V) {
  int64_t total = 0;
  for (const int64_t id : ids) {
    const auto at = static_cast<size_t>(id);
    if (at >= sizes_V.size() || sizes_V[at] < 0) return {};
    total += sizes_V[at];
  }
  return total;
}

std::vector<int64_t> ids_of(const TokenFile& tokens, const std::vector<int64_t>& targets) {
  if (targets.empty()) return {};
  std::vector<int64_t> stretch(static_cast<size_t>(targets.back() - targets.front() + 1));
  tokens.copy(targets.front(), static_cast<int64_t>(stretch.size()), stretch.data());
  std::vector<int64_t> ids;
  for (const int64_t target : targets) {
    ids.push_back(stretch[static_cast<size_t>(target - targets.front())]);
  }
  return ids;
}

std::optional<double> per(double amount, const std::optional<int64_t>& count) {
  if (!count || *count == 0 || !std::isfinite(amount)) return {};
  return amount / static_cast<double>(*count);
}

std::optional<double> exp_of(const std::optional<double>& value) {
  if (!value) return {};
  return std::exp(*value);
}

nlohmann::json record_object(const TokenFile& tokens, const DocumentInfo& document,
                             const TokenScores& scores) {
  double nats = 0;
  for (const double nll : scores.nll) nats += nll;
  const double bits = nats / std::numbers::ln2;
  Measures measures;
  measures.nats_per_token = per(nats, scores.size());
  measures.perplexity = exp_of(measures.nats_per_token);
  measures.bits_per_token = per(bits, scores.size());
  if (tokens.header().value("lossless", true)) {
    const std::vector<int64_t> ids = ids_of(tokens, scores.targets);
    measures.bits_per_byte = per(bits, total_size(ids, tokens.token_sizes().bytes_V));
    measures.bits_per_character = per(bits, total_size(ids, tokens.token_sizes().characters_V));
  }
  const bool whole = scores.size() > 0 && scores.size() + 1 >= document.tokens;
  const bool token_is_word = counts_tokens_as_words(tokens, document);
  if (token_is_word) measures.word_perplexity = measures.perplexity;
  if (whole && !token_is_word) measures.word_perplexity = exp_of(per(nats, document.words));
  nlohmann::json object = measures_json(measures);
  object["tokens_total"] = document.tokens;
  object["tokens_scored"] = scores.size();
  object["tokens_skipped"] = document.tokens - scores.size();
  return object;
}

}  // namespace

std::vector<nlohmann::json> record_objects(const TokenFile& tokens, const TokenScores& scores) {
  const nlohmann::json lines = tokens.header().value("lines", nlohmann::json());
  std::vector<nlohmann::json> objects;
  for (const DocumentInfo& document : tokens.documents()) {
    const TokenScores own = scores.within(document.first_token, document.tokens);
    objects.push_back(record_object(tokens, document, own));
    objects.back()["record"] = objects.size();
    if (!lines.is_null()) objects.back()["record"] = lines.at(objects.size() - 1);
    objects.back()["name"] = document.name;
  }
  return objects;
}

}  // namespace lc

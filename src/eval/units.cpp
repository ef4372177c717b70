#include "eval/units.h"

#include <algorithm>
#include <vector>

#include "eval/target_ids.h"

namespace lc {
namespace {

void count_sizes(const TokenFile& tokens, const TokenScores& scores, ScoredUnits& units) {
  const TokenSizes& sizes = tokens.token_sizes();
  int64_t bytes = 0;
  int64_t characters = 0;
  bool have_bytes = true;
  bool have_characters = true;
  for_each_target_id(tokens, scores.targets, [&](size_t, int64_t token) {
    const auto id = static_cast<size_t>(token);
    have_bytes = have_bytes && id < sizes.bytes_V.size() && sizes.bytes_V[id] >= 0;
    have_characters =
        have_characters && id < sizes.characters_V.size() && sizes.characters_V[id] >= 0;
    if (have_bytes) bytes += sizes.bytes_V[id];
    if (have_characters) characters += sizes.characters_V[id];
  });
  if (have_bytes) units.bytes = bytes;
  if (have_characters) units.characters = characters;
}

bool every_token_is_a_word(const TokenFile& tokens) {
  return std::all_of(
      tokens.documents().begin(), tokens.documents().end(),
      [&](const DocumentInfo& document) { return counts_tokens_as_words(tokens, document); });
}

// The words of the documents that hold a target; absent if one of them isn't scored whole.
std::optional<int64_t> words_of_documents(const TokenFile& tokens, const TokenScores& scores) {
  int64_t words = 0;
  auto next = scores.targets.begin();
  for (const DocumentInfo& document : tokens.documents()) {
    const int64_t past = document.first_token + document.tokens;
    const auto end = std::lower_bound(next, scores.targets.end(), past);
    const int64_t scored = end - next;
    const bool first_scored = scored > 0 && *next == document.first_token;
    next = end;
    if (scored == 0) continue;
    if (scored < document.tokens - (first_scored ? 0 : 1)) return {};
    words += document.words;
  }
  if (next != scores.targets.end()) return {};
  return words;
}

// All targets but at most the first of each document.
bool is_whole(const TokenFile& tokens, const TokenScores& scores) {
  const auto documents = static_cast<int64_t>(tokens.documents().size());
  return scores.size() > 0 && scores.size() + documents >= tokens.size() &&
         words_of_documents(tokens, scores).has_value();
}

void count_words(const TokenFile& tokens, const TokenScores& scores, ScoredUnits& units) {
  if (every_token_is_a_word(tokens)) {
    units.words = scores.size();
    units.words_reason = "every token is a word";
  } else {
    units.words = words_of_documents(tokens, scores);
    units.words_reason = units.words ? "words of the scored documents, counted here"
                                     : "words are counted by document, and one was scored in part";
  }
  units.own_words = units.words;
  const nlohmann::json published = tokens.header().value("official_words", nlohmann::json());
  if (!published.is_number_integer() || !is_whole(tokens, scores)) return;
  units.words = published.get<int64_t>();
  units.words_reason = "the published count of the split";
}

}  // namespace

ScoredUnits scored_units(const TokenFile& tokens, const TokenScores& scores) {
  ScoredUnits units;
  if (tokens.header().value("lossless", true)) {
    count_sizes(tokens, scores, units);
    if (!units.bytes) units.bytes_reason = "a token of this tokenizer has no bytes of its own";
    if (!units.characters) {
      units.characters_reason = "a token of this tokenizer has no characters of its own";
    }
  } else {
    units.bytes_reason = "the tokenizer changes the text: decoding doesn't give it back";
    units.characters_reason = units.bytes_reason;
  }
  count_words(tokens, scores, units);
  return units;
}

bool counts_tokens_as_words(const TokenFile& tokens, const DocumentInfo& document) {
  const auto tokenizer = tokens.header().find("tokenizer");
  return tokenizer != tokens.header().end() && tokenizer->is_object() &&
         tokenizer->value("type", "") == "word" && document.words == document.tokens;
}

}  // namespace lc

#include "eval/units.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace lc {
namespace {

constexpr int64_t kTargetsAtOnce = 1 << 16;

// Calls visit(id) for the token of every target, reading neighbours together.
template <typename F>
void for_each_id(const TokenFile& tokens, const std::vector<int64_t>& targets, F&& visit) {
  std::vector<int64_t> ids;
  for (size_t begin = 0; begin < targets.size();) {
    size_t end = begin + 1;
    while (end < targets.size() && targets[end] - targets[begin] < kTargetsAtOnce) ++end;
    ids.resize(static_cast<size_t>(targets[end - 1] - targets[begin] + 1));
    tokens.copy(targets[begin], static_cast<int64_t>(ids.size()), ids.data());
    for (size_t i = begin; i < end; ++i) {
      visit(static_cast<size_t>(ids[static_cast<size_t>(targets[i] - targets[begin])]));
    }
    begin = end;
  }
}

void count_sizes(const TokenFile& tokens, const TokenScores& scores, ScoredUnits& units) {
  const TokenSizes& sizes = tokens.token_sizes();
  int64_t bytes = 0;
  int64_t characters = 0;
  bool have_bytes = true;
  bool have_characters = true;
  for_each_id(tokens, scores.targets, [&](size_t id) {
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
      [](const DocumentInfo& document) { return document.words == document.tokens; });
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
  const nlohmann::json published = tokens.header().value("official_words", nlohmann::json());
  if (published.is_number_integer() && is_whole(tokens, scores)) {
    units.words = published.get<int64_t>();
    units.words_reason = "the published count of the split";
    return;
  }
  if (every_token_is_a_word(tokens)) {
    units.words = scores.size();
    units.words_reason = "every token is a word";
    return;
  }
  units.words = words_of_documents(tokens, scores);
  units.words_reason = units.words ? "words of the scored documents"
                                   : "words are counted by document, and one was scored in part";
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

}  // namespace lc

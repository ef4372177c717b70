// What the scored tokens stand for in the original text: bytes, characters, words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/token_file.h"
#include "eval/evaluator.h"

namespace lc {

// Absent counts come with the reason; words also say how they were counted.
struct ScoredUnits {
  std::optional<int64_t> bytes;
  std::optional<int64_t> characters;  // Unicode code points
  std::optional<int64_t> words;
  std::optional<int64_t> own_words;  // as counted here, beside a published count
  std::string bytes_reason;
  std::string characters_reason;
  std::string words_reason;  // where absent: why; else: how they were counted
};

// Bytes and characters are those of the scored tokens. Words: of a whole split whose header has
// "official_words", those; else, where every token is a word, the scored tokens; else those of the
// documents, which must be scored whole but for a first token.
ScoredUnits scored_units(const TokenFile& tokens, const TokenScores& scores);

// Whether every token of the document is a word: that of a tokenizer of type "word", in a corpus
// that counts words as it does.
bool counts_tokens_as_words(const TokenFile& tokens, const DocumentInfo& document);

}  // namespace lc

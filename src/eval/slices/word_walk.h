// Which word each token of a text belongs to, and how often words occur.
//
// Words are runs of anything but Unicode white space in the decoded text (PROTOCOL, units); they
// end with their document. A token belongs to the word that holds its first byte that is no white
// space; one without such a byte (spaces, line ends, separators) stands between words. Of a word
// tokenizer every token is a word of its own, <eos> too, whose word is "\n".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "data/token_file.h"
#include "data/tokenizers/tokenizer.h"

namespace lc {

// Tokens and the tokenizer that made them; both outlive the use.
struct ReadableText {
  const TokenFile& tokens;
  const Tokenizer& tokenizer;
};

struct WordSpan {
  int64_t first = 0;      // index of its first token
  int64_t count = 0;      // of its tokens; 0: the word lies inside a token of the word before it
  std::string_view word;  // empty: tokens between words; valid during the call
};

// Calls visit for the words, and the tokens between them, of every document that begins before
// `past`, in order: each token of these documents is in one span. Memory holds a word and a stretch
// of tokens.
void for_each_word(const ReadableText& text, int64_t past,
                   const std::function<void(const WordSpan&)>& visit);

struct WordHash {
  using is_transparent = void;
  size_t operator()(std::string_view word) const { return std::hash<std::string_view>()(word); }
};
template <typename V>
using WordMap = std::unordered_map<std::string, V, WordHash, std::equal_to<>>;

// Adds the occurrences in the text to the words that counts holds; other words are passed over, so
// that memory doesn't grow with a large text.
void count_words(const ReadableText& text, WordMap<int64_t>& counts);

}  // namespace lc

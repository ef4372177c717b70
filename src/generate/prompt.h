// From the text that a user gives to the tokens that a model reads first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace lc {

struct Prompt {
  std::string text;
  std::string source;  // flag or file, for messages
};

// One token at least: a text without tokens gives those of start_tokens(). Error(kData): not UTF-8
// where the tokenizer reads characters, a word that the vocabulary refuses. Unknown words that it
// takes are a warning.
std::vector<int64_t> encode_prompt(const Tokenizer& tokenizer, const Prompt& prompt);

// What an unprompted text begins after: the separator that ends a document, else a line end; where
// the vocabulary has neither, its first token.
std::vector<int64_t> start_tokens(const Tokenizer& tokenizer);

}  // namespace lc

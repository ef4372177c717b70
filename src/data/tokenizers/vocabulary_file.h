// Vocabularies as other programs have them: a plain list with a token a line, JSON, or the model of
// SentencePiece.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "data/tokenizers/tokenizer.h"

namespace lc {

// What becomes of words that the vocabulary doesn't have.
enum class UnknownWords { kRefused, kReplaced };

// JSON: a list in the order of ids, or an object that gives each token its id, 0 to one less than
// their number. A plain list: what follows a token after white space, a count, is passed over.
// Tokens that all are numbers from 0 to 255, or that all are single characters of ASCII, stand for
// bytes, "_" for the space if that isn't there itself, as text8 and enwik8 were prepared for the
// Transformer-XL reference: newline bytes are dropped if they have no token. All others are words,
// and <eos> must be one of them. A file NAME.model: SentencePiece's. Error(kData) for anything
// else.
std::shared_ptr<const Tokenizer> tokenizer_of_vocabulary(const std::filesystem::path& file,
                                                         UnknownWords unknown);

// The file that tokenizer_of_vocabulary() makes the same tokenizer of: "vocab.txt" with a word a
// line, or the number of a byte, in the order of ids, or "tokenizer.model".
struct VocabularyFile {
  std::string name;
  std::string content;
};
VocabularyFile vocabulary_file(const Tokenizer& tokenizer);

}  // namespace lc

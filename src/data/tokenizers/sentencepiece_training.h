// Trains SentencePiece models that give every text back: identity normalisation, no white space
// removed or added, byte fallback, the newline a symbol of its own.
#pragma once

#include <cstdint>
#include <string>

#include "data/tokenizers/tokenizer.h"

namespace lc {

struct SentencePieceTraining {
  std::string algorithm;  // "unigram" or "bpe"
  int64_t vocab_size;
  int64_t sample_bytes;  // of the train split, about so many are looked at
  uint64_t seed;         // of the sample
};

// The serialised model. Error(kUsage) if the vocabulary size doesn't fit the text.
std::string train_sentencepiece(const SentencePieceTraining& training, const TrainingText& text);

}  // namespace lc

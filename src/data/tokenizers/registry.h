// The kinds of tokenizers. One is a .cpp file that returns a TokenizerKind and one line here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace lc {

struct TokenizerKind {
  std::string name;
  std::string says;
  bool needs_utf8 = true;
  std::shared_ptr<const Tokenizer> (*build)(const Config& config, const TrainingText& text);
  // From content(): its first line as JSON, and what follows it.
  std::shared_ptr<const Tokenizer> (*load)(const nlohmann::json& head, std::string_view payload,
                                           const std::string& source);
  // What besides its options and the text determines the tokenizer: hashes of the files named.
  nlohmann::json (*files)(const Config& config);
};

const std::vector<TokenizerKind>& tokenizer_kinds();

// content() of all kinds: a line of JSON {"lctokenizer": 1, "type": ..., ...}, then a payload.
std::string tokenizer_content(nlohmann::json head, std::string_view payload);

TokenizerKind byte_tokenizer();
TokenizerKind word_tokenizer();
TokenizerKind sentencepiece_tokenizer();

}  // namespace lc

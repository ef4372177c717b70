// A prepared text: token ids in a memory-mapped file, with its documents and its original sizes.
// The binary format is described in data/README.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/file_io.h"

namespace lc {

// One document of the text.
struct DocumentInfo {
  int64_t first_token;  // index of its first token
  int64_t tokens;
  int64_t bytes;  // of the original text; characters are Unicode code points
  int64_t characters;
  int64_t words;
  std::string name;  // file name, title or number; may be empty
};

// What a token id stands for in the original text: 0 for separators, -1 where undefined (word ids
// and lossy tokenizers have no bytes of their own).
struct TokenSizes {
  std::vector<int64_t> bytes_V;
  std::vector<int64_t> characters_V;
};

class TokenFile {
 public:
  // Maps and checks the file: magic, version, size, checksum of header and of tokens. Throws
  // Error(kData) that says what is wrong and that the file can be made anew.
  static TokenFile open(const std::filesystem::path& path);

  int64_t size() const;  // tokens
  int64_t vocab_size() const;
  // Copies tokens [first, first + count) as int64.
  void copy(int64_t first, int64_t count, int64_t* out) const;
  const std::vector<DocumentInfo>& documents() const;
  const TokenSizes& token_sizes() const;
  const std::string& tokenizer_hash() const;  // sha256 of the tokenizer, hex
  // SHA-256, hex, of the tokens, the lengths of the documents and the tokenizer's hash: texts that
  // share it are the same to any model. Names and sizes of documents are not in it.
  const std::string& text_hash() const;
  // What the corpus knows of a document beside its name, such as {id, title, year}; else null.
  nlohmann::json about(const DocumentInfo& document) const;
  // The whole header: corpus, split, tokenizer, "official", "lossless", unknown words, ...
  const nlohmann::json& header() const;

 private:
  struct Contents;
  std::shared_ptr<const Contents> contents_;
};

}  // namespace lc

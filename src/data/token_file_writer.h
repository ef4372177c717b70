// Writes a token file by streaming: memory stays small however long the text is.
//
//   TokenFileWriter writer(path, vocab_size);
//   for each document: writer.add(ids) as often as you like, then writer.end_document(info)
//   writer.finish(...)
//
// The file appears under its name only at finish(). Errors: Error(kRuntime) if it can't be written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "data/token_file.h"

namespace lc {

class TokenFileWriter {
 public:
  // A token takes 1, 2 or 4 bytes, by vocab_size (at most 2^32).
  TokenFileWriter(const std::filesystem::path& path, int64_t vocab_size);
  ~TokenFileWriter();

  void add(const std::vector<int64_t>& ids);  // each in [0, vocab_size)
  // Ends the document that the tokens since the last call belong to; info's first_token and tokens
  // are set here.
  void end_document(DocumentInfo info);
  // sizes: of vocab_size entries, or empty (undefined throughout). header: what is to be known of
  // the text; "tokenizer_hash", "text_hash" (TokenFile::text_hash()), "vocab_size" and "counts"
  // (tokens, documents, bytes, characters, words) are added here.
  void finish(const TokenSizes& sizes, const std::string& tokenizer_hash, nlohmann::json header);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lc

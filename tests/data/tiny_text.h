// Token files of a few tokens, for tests.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "data/token_file.h"
#include "data/token_file_writer.h"

struct TinyText {
  std::vector<int64_t> ids;
  int64_t vocab_size = 0;
  std::vector<lc::DocumentInfo> documents;  // one after the other
  lc::TokenSizes sizes;                     // empty: one byte and one character a token
  nlohmann::json header = nlohmann::json::object();

  // One word a token, documents of so many tokens; neighbouring ids differ, and repeat only after
  // vocab_size tokens (unless that is a multiple of 11).
  static TinyText of_documents(const std::vector<int64_t>& tokens, int64_t vocab_size) {
    TinyText text;
    text.vocab_size = vocab_size;
    text.header["tokenizer"] = {{"type", "word"}};
    int64_t place = 0;
    for (const int64_t count : tokens) {
      text.documents.push_back({place, count, count, count, count, ""});
      for (int64_t i = 0; i < count; ++i, ++place) {
        text.ids.push_back((place * 11 + place / vocab_size + 3) % vocab_size);
      }
    }
    return text;
  }

  // Written, mapped and removed again.
  lc::TokenFile file() const {
    const auto path = std::filesystem::temp_directory_path() /
                      ("tiny_text_" + std::to_string(getpid()) + ".lctok");
    lc::TokenFileWriter writer(path, vocab_size);
    for (const lc::DocumentInfo& document : documents) {
      const auto begin = ids.begin() + document.first_token;
      writer.add({begin, begin + document.tokens});
      writer.end_document(document);
    }
    const std::vector<int64_t> ones(static_cast<size_t>(vocab_size), 1);
    writer.finish(sizes.bytes_V.empty() ? lc::TokenSizes{ones, ones} : sizes, "tiny", header);
    lc::TokenFile opened = lc::TokenFile::open(path);
    std::filesystem::remove(path);
    return opened;
  }
};

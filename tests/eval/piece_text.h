// Texts of pieces, for tests: a tokenizer whose tokens are whatever the test says.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "catch.h"
#include "data/tiny_text.h"
#include "data/tokenizers/tokenizer.h"

class PieceTokenizer : public lc::Tokenizer {
 public:
  PieceTokenizer(std::vector<std::string> pieces_V, std::string type)
      : pieces_V_(std::move(pieces_V)), type_(std::move(type)) {}

  std::string type() const override { return type_; }
  int64_t vocab_size() const override { return static_cast<int64_t>(pieces_V_.size()); }
  std::string content() const override { return "pieces"; }
  std::unique_ptr<lc::DocumentEncoder> encoder() const override { return nullptr; }
  std::string token_text(int64_t id) const override {
    return pieces_V_.at(static_cast<size_t>(id));
  }
  lc::TokenSizes token_sizes() const override { return {}; }
  nlohmann::json description() const override { return {{"type", type_}}; }

 private:
  std::vector<std::string> pieces_V_;
  std::string type_;
};

// Documents are lists of pieces; each different piece is a token id, in the order they come.
class PieceText {
 public:
  explicit PieceText(std::string type = "pieces") : type_(std::move(type)) {}

  PieceText& add(const std::vector<std::string>& pieces, const std::string& name = "") {
    lc::DocumentInfo document{static_cast<int64_t>(text.ids.size()), 0, 0, 0, 0, name};
    for (const std::string& piece : pieces) {
      const auto [found, added] = ids_.emplace(piece, static_cast<int64_t>(pieces_V_.size()));
      if (added) pieces_V_.push_back(piece);
      text.ids.push_back(found->second);
      ++document.tokens;
      document.bytes += static_cast<int64_t>(piece.size());
    }
    text.documents.push_back(document);
    return *this;
  }
  // Another text with the same ids; pieces that are new to it are new to both.
  PieceText like() const {
    PieceText other = *this;
    other.text = {};
    return other;
  }
  PieceTokenizer tokenizer() const { return {pieces_V_, type_}; }
  lc::TokenFile file(const PieceTokenizer& tokenizer) const {
    TinyText whole = text;
    whole.vocab_size = tokenizer.vocab_size();
    whole.sizes = {};
    for (int64_t id = 0; id < whole.vocab_size; ++id) {
      whole.sizes.bytes_V.push_back(static_cast<int64_t>(tokenizer.token_text(id).size()));
    }
    whole.sizes.characters_V = whole.sizes.bytes_V;
    return whole.file();
  }

  TinyText text;

 private:
  std::string type_;
  std::vector<std::string> pieces_V_;
  std::map<std::string, int64_t> ids_;
};

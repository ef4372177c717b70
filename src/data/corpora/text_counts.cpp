#include "data/corpora/text_counts.h"

#include <algorithm>

namespace lc {
namespace {

struct CountWords {
  int64_t& words;
  int64_t& line_ends;
  void word_piece(std::string_view) {}
  void word_end() { ++words; }
  void line_end() { ++line_ends; }
};

}  // namespace

TextCounts& TextCounts::operator+=(const TextCounts& other) {
  bytes += other.bytes;
  characters += other.characters;
  words += other.words;
  line_ends += other.line_ends;
  return *this;
}

void TextCounter::add(std::string_view piece) {
  if (piece.empty()) return;
  counts_.bytes += static_cast<int64_t>(piece.size());
  counts_.characters += std::count_if(piece.begin(), piece.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  });
  CountWords handler{counts_.words, counts_.line_ends};
  words_.add(piece, handler);
  line_open_ = piece.back() != '\n';
}

TextCounts TextCounter::end(TextEnd how) {
  CountWords handler{counts_.words, counts_.line_ends};
  words_.end(handler);
  if (line_open_ && how == TextEnd::kWhole) ++counts_.line_ends;
  line_open_ = false;
  const TextCounts counts = counts_;
  counts_ = {};
  return counts;
}

}  // namespace lc

// Words as Python's str.split() sees them: runs of anything but Unicode white space.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace lc {

// How many bytes of white space (one character) the UTF-8 text begins with; 0: none.
size_t white_space_length(std::string_view text);

// Bytes of the UTF-8 character that begins with this byte; 1 for bytes that begin none.
size_t utf8_length(unsigned char first);

// Finds words and line ends in a text given in pieces that may be cut anywhere, even inside a
// character. The handler has word_piece(std::string_view) (part of a word), word_end() and
// line_end() (at "\n").
class WordScanner {
 public:
  template <typename Handler>
  void add(std::string_view piece, Handler& handler);
  template <typename Handler>
  void end(Handler& handler);  // the text ends, and with it a word; line_end() is not called

 private:
  template <typename Handler>
  void scan(std::string_view text, Handler& handler);

  std::string carried_;  // the beginning of a character
  bool in_word_ = false;
};

template <typename Handler>
void WordScanner::add(std::string_view piece, Handler& handler) {
  if (!carried_.empty()) {
    const size_t missing = utf8_length(static_cast<unsigned char>(carried_[0])) - carried_.size();
    const size_t taken = std::min(missing, piece.size());
    carried_ += piece.substr(0, taken);
    piece.remove_prefix(taken);
    if (taken < missing) return;
    const std::string character = std::move(carried_);
    carried_.clear();
    scan(character, handler);
  }
  // The last three bytes may begin a character that goes on in the next piece.
  for (size_t back = 1; back <= std::min<size_t>(3, piece.size()); ++back) {
    const auto byte = static_cast<unsigned char>(piece[piece.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    if (utf8_length(byte) > back) {
      carried_ = piece.substr(piece.size() - back);
      piece.remove_suffix(back);
    }
    break;
  }
  scan(piece, handler);
}

template <typename Handler>
void WordScanner::scan(std::string_view text, Handler& handler) {
  size_t word = 0;  // where the part of the running word begins
  for (size_t i = 0; i < text.size();) {
    const size_t space = white_space_length(text.substr(i, 3));
    if (space == 0) {
      if (!in_word_) word = i;
      in_word_ = true;
      ++i;
      continue;
    }
    if (in_word_) {
      if (i > word) handler.word_piece(text.substr(word, i - word));
      handler.word_end();
      in_word_ = false;
    }
    if (text[i] == '\n') handler.line_end();
    i += space;
    word = i;
  }
  if (in_word_ && word < text.size()) handler.word_piece(text.substr(word));
}

template <typename Handler>
void WordScanner::end(Handler& handler) {
  scan(carried_, handler);
  carried_.clear();
  if (in_word_) handler.word_end();
  in_word_ = false;
}

}  // namespace lc

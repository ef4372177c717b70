// Words as Python's str.split() sees them: runs of anything but Unicode white space.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lc {

// Whether the UTF-8 text begins with a white-space character, and how many bytes that has (0:
// none). Text that is no UTF-8 has no white space beyond ASCII's.
size_t white_space_length(std::string_view text);

// Bytes of the UTF-8 character that begins with this byte (1 for bytes that begin none).
size_t utf8_length(unsigned char first);

// Finds words in a text given in pieces that may be cut anywhere, even inside a character.
class WordScanner {
 public:
  // on_word(): a word begins. Called for each of them, in order.
  template <typename OnWord>
  void count(std::string_view piece, OnWord&& on_word);
  void end();  // the text ends; the next piece begins another

 private:
  std::string carried_;  // an unfinished character
  bool in_word_ = false;
};

template <typename OnWord>
void WordScanner::count(std::string_view piece, OnWord&& on_word) {
  std::string joined;
  if (!carried_.empty()) {
    joined = carried_ + std::string(piece);
    carried_.clear();
    piece = joined;
  }
  size_t i = 0;
  while (i < piece.size()) {
    const auto byte = static_cast<unsigned char>(piece[i]);
    size_t length = 1;
    size_t space = 0;
    if (byte < 0x80) {
      space = byte == ' ' || (byte >= 9 && byte <= 13) || (byte >= 28 && byte <= 31) ? 1 : 0;
    } else {
      length = utf8_length(byte);
      if (i + length > piece.size()) {
        carried_ = piece.substr(i);
        if (!in_word_ && white_space_length(carried_) == 0 && byte != 0xC2 && byte != 0xE1 &&
            byte != 0xE2 && byte != 0xE3) {
          in_word_ = true;
          on_word();
        }
        return;
      }
      space = white_space_length(piece.substr(i, length));
    }
    if (space > 0) {
      in_word_ = false;
    } else if (!in_word_) {
      in_word_ = true;
      on_word();
    }
    i += length;
  }
}

}  // namespace lc

#include "data/tokenizers/white_space.h"

namespace lc {
namespace {

// U+2000-200A, 2028, 2029, 202F, 205F and 3000, 1680: the white space of three bytes.
bool three_byte_space(unsigned char a, unsigned char b, unsigned char c) {
  if (a == 0xE1) return b == 0x9A && c == 0x80;
  if (a == 0xE3) return b == 0x80 && c == 0x80;
  if (a != 0xE2) return false;
  if (b == 0x80) return (c >= 0x80 && c <= 0x8A) || c == 0xA8 || c == 0xA9 || c == 0xAF;
  return b == 0x81 && c == 0x9F;
}

}  // namespace

size_t white_space_length(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  const unsigned char first = at(0);
  if (first < 0x80) {
    return first == ' ' || (first >= 9 && first <= 13) || (first >= 28 && first <= 31) ? 1 : 0;
  }
  if (first == 0xC2) return text.size() > 1 && (at(1) == 0x85 || at(1) == 0xA0) ? 2 : 0;
  return text.size() > 2 && three_byte_space(first, at(1), at(2)) ? 3 : 0;
}

size_t utf8_length(unsigned char first) {
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xF0 && first < 0xF5) return 4;
  return 1;
}

}  // namespace lc

#include "core/utf8_check.h"

namespace lc {

bool Utf8Check::step(unsigned char byte) {
  if (missing_ > 0) {
    if (byte < lowest_ || byte > highest_) return false;
    lowest_ = 0x80;
    highest_ = 0xBF;
    --missing_;
    return true;
  }
  character_byte_ = byte_;
  if (byte < 0x80) {
    lines_ += byte == '\n' ? 1 : 0;
    return true;
  }
  if (byte < 0xC2 || byte > 0xF4) return false;
  missing_ = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
  if (byte == 0xE0) lowest_ = 0xA0;
  if (byte == 0xED) highest_ = 0x9F;
  if (byte == 0xF0) lowest_ = 0x90;
  if (byte == 0xF4) highest_ = 0x8F;
  return true;
}

bool Utf8Check::add(std::string_view piece) {
  for (size_t i = 0; good_ && i < piece.size(); ++i, ++byte_) {
    good_ = step(static_cast<unsigned char>(piece[i]));
    if (!good_) break;
  }
  return good_;
}

bool Utf8Check::end() {
  good_ = good_ && missing_ == 0;
  return good_;
}

}  // namespace lc

// Whether a text given in pieces is UTF-8 (RFC 3629: no overlong forms, no surrogates).
#pragma once

#include <cstdint>
#include <string_view>

namespace lc {

class Utf8Check {
 public:
  // False from the first fault on.
  bool add(std::string_view piece);
  bool end();  // false if the text ends inside a character
  // Where the character with the fault begins: bytes and lines before it.
  int64_t fault_byte() const { return character_byte_; }
  int64_t fault_line() const { return lines_; }

 private:
  bool step(unsigned char byte);

  bool good_ = true;
  int64_t byte_ = 0;
  int64_t character_byte_ = 0;
  int64_t lines_ = 0;
  int missing_ = 0;              // continuation bytes still to come
  unsigned char lowest_ = 0x80;  // what the next one may be
  unsigned char highest_ = 0xBF;
};

}  // namespace lc

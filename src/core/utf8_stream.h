// A text that comes in bytes, passed on in whole characters: what may still become a UTF-8
// character is held back. Bytes that can't be part of one pass unchanged.
#pragma once

#include <string>
#include <string_view>

namespace lc {

class Utf8Stream {
 public:
  std::string add(std::string_view bytes);  // what can be passed on now
  std::string end();                        // what was held back

 private:
  std::string held_;  // at most three bytes
};

// The beginning of a text, at most so many bytes, less a character that they would cut.
std::string beginning_of(std::string_view text, size_t bytes);

}  // namespace lc

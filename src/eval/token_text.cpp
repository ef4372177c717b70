#include "eval/token_text.h"

#include "core/utf8_check.h"
#include "data/tokenizers/white_space.h"

namespace lc {
namespace {

// Bytes of the printable character that begins the text; 0: there is none.
size_t printable_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x20 || first == 0x7F) return 0;
  const size_t length = utf8_length(first);
  Utf8Check check;
  return length <= text.size() && check.add(text.substr(0, length)) && check.end() ? length : 0;
}

std::string escaped(char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  switch (byte) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      const auto value = static_cast<unsigned char>(byte);
      return {'\\', 'x', kDigits[value >> 4U], kDigits[value & 0xFU]};
  }
}

}  // namespace

std::string visible_text(std::string_view text) {
  std::string visible;
  while (!text.empty()) {
    const size_t length = printable_length(text);
    if (length == 0) {
      visible += escaped(text[0]);
    } else if (text[0] == '\\') {
      visible += "\\\\";
    } else {
      visible += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return visible;
}

}  // namespace lc

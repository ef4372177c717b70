#include "report/svg/plot_text.h"

#include <array>
#include <cstdint>

namespace lc {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Bytes of the character that begins here, 0 if it is not well-formed UTF-8 or not allowed in XML.
size_t character_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x20) return lead == '\t' || lead == '\n' || lead == '\r' ? 1 : 0;
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  uint32_t code = lead & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if (!continues(text[i])) return 0;
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  constexpr std::array<uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool forbidden = code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF;
  return code < kSmallest[length] || surrogate || forbidden ? 0 : length;
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t length = character_length(text);
    if (length == 0) {
      result += kReplacement;
    } else if (text[0] == '&') {
      result += "&amp;";
    } else if (text[0] == '<') {
      result += "&lt;";
    } else if (text[0] == '>') {
      result += "&gt;";
    } else if (text[0] == '"') {
      result += "&quot;";
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string shortened(const std::string& text, size_t characters) {
  size_t seen = 0;
  size_t cut = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (continues(text[i])) continue;
    if (++seen == characters) cut = i;
  }
  return seen <= characters ? text : text.substr(0, cut) + "\xE2\x80\xA6";
}

double text_width(std::string_view text, double font_size) {
  double characters = 0;
  for (const char byte : text) {
    if (!continues(byte)) ++characters;
  }
  return 0.56 * font_size * characters;
}

}  // namespace lc

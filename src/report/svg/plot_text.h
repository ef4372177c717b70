// Text as it stands in an SVG file.
#pragma once

#include <string>
#include <string_view>

namespace lc {

// Markup escaped; bytes that are not UTF-8 and characters that XML forbids become U+FFFD.
std::string escape_xml(std::string_view text);

// At most so many characters; what is longer ends in an ellipsis. The text must be UTF-8.
std::string shortened(const std::string& text, size_t characters);

// About how many pixels a text is wide at a font size.
double text_width(std::string_view text, double font_size);

}  // namespace lc

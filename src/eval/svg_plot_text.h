// Text and numbers as they stand in an SVG file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lc {

// Markup escaped; bytes that are not UTF-8 and characters that XML forbids become U+FFFD.
std::string escape_xml(std::string_view text);

// At most so many characters; what is longer ends in an ellipsis. The text must be UTF-8.
std::string shortened(const std::string& text, size_t characters);

// A number with so many decimals, whatever the locale: "0.50".
std::string decimal(double value, int decimals);

// A whole number with thousands separators: "16,384".
std::string grouped(int64_t value);

// About how many pixels a text is wide at a font size.
double text_width(std::string_view text, double font_size);

}  // namespace lc

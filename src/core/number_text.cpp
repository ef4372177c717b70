#include "core/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/error.h"

namespace lc {

std::string decimal(double value, int decimals) {
  std::array<char, 400> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, decimals);
  LC_CHECK(end.ec == std::errc());
  std::string text(buffer.data(), end.ptr);
  const bool zero = text.find_first_not_of("-0.") == std::string::npos;
  return zero && text[0] == '-' ? text.substr(1) : text;
}

std::string scientific(double value, int decimals) {
  LC_CHECK(std::isfinite(value));
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific, decimals);
  LC_CHECK(end.ec == std::errc());
  return {buffer.data(), end.ptr};
}

std::string significant(double value, int digits) {
  if (value == 0) return "0";
  std::string rounded = scientific(value, digits - 1);
  const int exponent = std::stoi(rounded.substr(rounded.find('e') + 1));
  if (exponent < -4 || exponent >= 15) return rounded;
  return decimal(value, std::max(digits - 1 - exponent, 0));
}

std::string grouped(int64_t value) {
  const std::string digits = std::to_string(value);
  const size_t first = value < 0 ? 1 : 0;
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > first && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string shortest(double value) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  LC_CHECK(end.ec == std::errc());
  return {buffer.data(), end.ptr};
}

}  // namespace lc

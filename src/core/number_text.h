// Numbers as people and programs read them, whatever the locale.
#pragma once

#include <cstdint>
#include <string>

namespace lc {

// With so many decimals, never "-0": "0.50".
std::string decimal(double value, int decimals);

// A whole number with thousands separators: "16,384".
std::string grouped(int64_t value);

// The shortest text that reads back as the same number.
std::string shortest(double value);

}  // namespace lc

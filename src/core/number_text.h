// Numbers as people and programs read them, whatever the locale.
#pragma once

#include <cstdint>
#include <string>

namespace lc {

// With so many decimals, never "-0": "0.50".
std::string decimal(double value, int decimals);

// With an exponent and so many decimals: "6.142e-06". The number must be finite.
std::string scientific(double value, int decimals);

// So many digits that count: "0.6225", "12.35"; with an exponent where the number is below 1e-4 or
// from 1e15 on, "0" for zero. The number must be finite.
std::string significant(double value, int digits);

// A whole number with thousands separators: "16,384".
std::string grouped(int64_t value);

// The shortest text that reads back as the same number.
std::string shortest(double value);

}  // namespace lc

// Lists of numbers as users type them: "0,64,128".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lc {

// Whole numbers from 0 on. Error(kUsage) that names the flag and says what each number is
// ("context length").
std::vector<int64_t> parse_whole_numbers(const std::string& text, const std::string& flag,
                                         const std::string& what);
// Finite numbers of any kind.
std::vector<double> parse_numbers(const std::string& text, const std::string& flag,
                                  const std::string& what);

}  // namespace lc

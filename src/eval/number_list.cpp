#include "eval/number_list.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/error.h"

namespace lc {
namespace {

// Calls take(part) for what stands between commas.
template <typename F>
void for_each_part(const std::string& text, F&& take) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    take(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
}

// Whether the whole text is one number.
template <typename T>
bool read_number(std::string_view text, T& value) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  return end.ec == std::errc() && end.ptr == text.data() + text.size();
}

[[noreturn]] void refuse(std::string_view part, const std::string& flag, const std::string& what,
                         const std::string& remedy) {
  throw Error(ErrorKind::kUsage, flag, "\"" + std::string(part) + "\" is not a " + what, remedy);
}

}  // namespace

std::vector<int64_t> parse_whole_numbers(const std::string& text, const std::string& flag,
                                         const std::string& what) {
  std::vector<int64_t> numbers;
  for_each_part(text, [&](std::string_view part) {
    int64_t value = -1;
    if (!read_number(part, value) || value < 0) {
      refuse(part, flag, what,
             "give whole numbers from 0 on with commas between them, such as 0,64,128");
    }
    numbers.push_back(value);
  });
  return numbers;
}

std::vector<double> parse_numbers(const std::string& text, const std::string& flag,
                                  const std::string& what) {
  std::vector<double> numbers;
  for_each_part(text, [&](std::string_view part) {
    double value = 0;
    if (!read_number(part, value) || !std::isfinite(value)) {
      refuse(part, flag, what, "give numbers with commas between them, such as 0,0.5,1");
    }
    numbers.push_back(value);
  });
  return numbers;
}

}  // namespace lc

#include "eval/csv.h"

#include <array>
#include <charconv>

#include "core/error.h"

namespace lc {
namespace {

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string result = "\"";
  for (const char c : field) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    line += quoted(fields[i]);
  }
  return line + "\n";
}

std::string csv_number(const std::optional<double>& value) {
  if (!value) return "";
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), *value);
  LC_CHECK(end.ec == std::errc());
  return {buffer.data(), end.ptr};
}

}  // namespace lc

// JSON as users write it, parse errors with line and column, duplicate keys found; and as it is
// written for them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace lc {

// Parses an object. A text that is no JSON throws Error(kUsage) that names line, column and the
// likely slip; a key that stands twice in one object is added to faults.
nlohmann::json parse_strict_json(std::string_view text, std::string_view source,
                                 std::vector<std::string>& faults);

// A value as typed on a command line: JSON, or else a text.
nlohmann::json typed_value(const std::string& text);

// For files and stdout; indent -1: in one line. What is not UTF-8 (names of folders) is written
// with U+FFFD.
std::string json_text(const nlohmann::json& value, int indent);

}  // namespace lc

#include "config/json_text.h"

#include <algorithm>
#include <set>

#include "core/error.h"

namespace lc {
namespace {

using Json = nlohmann::json;

std::string place_text(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t newline = before.rfind('\n');
  const size_t column =
      newline == std::string_view::npos ? before.size() + 1 : before.size() - newline;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

// What stands last before a byte, white space skipped.
char last_before(std::string_view text, size_t byte) {
  while (byte > 0) {
    const char c = text[--byte];
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return c;
  }
  return '\0';
}

}  // namespace

Json parse_strict_json(std::string_view text, std::string_view source,
                       std::vector<std::string>& faults) {
  std::vector<std::set<std::string>> keys;
  std::vector<std::string> path{""};
  const auto callback = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) {
      keys.emplace_back();
      path.emplace_back("");
    } else if (event == Json::parse_event_t::object_end) {
      keys.pop_back();
      path.pop_back();
    } else if (event == Json::parse_event_t::key && !keys.empty()) {
      const auto key = value.get<std::string>();
      const std::string prefix = path[path.size() - 2];
      path.back() = prefix.empty() ? key : prefix + "." + key;
      if (!keys.back().insert(key).second) {
        faults.push_back(path.back() + ": the key stands twice; keep one");
      }
    }
    return true;
  };
  try {
    Json parsed = Json::parse(text, callback);
    if (!parsed.is_object()) {
      throw Error(ErrorKind::kUsage, source, "it is no JSON object", "begin with { and end with }");
    }
    return parsed;
  } catch (const Json::parse_error& error) {
    const size_t byte = error.byte == 0 ? 0 : error.byte - 1;
    const char here = byte < text.size() ? text[byte] : '\0';
    std::string remedy = "mend the JSON there";
    if ((here == '}' || here == ']') && last_before(text, byte) == ',') {
      remedy = "take away the comma before it";
    } else if (here == '\0') {
      remedy = "the text ends early: close every { and [";
    } else if (here == '/' || here == '#') {
      remedy = "JSON has no comments: use a key that begins with _comment";
    }
    throw Error(
        ErrorKind::kUsage, std::string(source) + ", " + place_text(text, byte),
        here == '\0' ? "the JSON is incomplete" : "unexpected " + std::string(1, '\'') + here + "'",
        remedy);
  } catch (const Json::exception&) {  // a number past the range of a double
    throw Error(ErrorKind::kUsage, source, "a number in it is too large", "give a smaller one");
  }
}

nlohmann::json typed_value(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

std::string json_text(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace lc

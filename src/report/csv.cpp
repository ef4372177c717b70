#include "report/csv.h"

#include "core/number_text.h"

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
  return value ? shortest(*value) : "";
}

std::string csv_of_objects(const std::vector<std::string>& columns,
                           const std::vector<nlohmann::json>& objects) {
  const auto field = [](const nlohmann::json& object, const std::string& key) -> std::string {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return "";
    if (found->is_string()) return found->get<std::string>();
    return found->is_number_float() ? csv_number(found->get<double>()) : found->dump();
  };
  std::string text = csv_line(columns);
  for (const nlohmann::json& object : objects) {
    std::vector<std::string> fields;
    for (const std::string& column : columns) fields.push_back(field(object, column));
    text += csv_line(fields);
  }
  return text;
}

}  // namespace lc

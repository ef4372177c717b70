#include "lcprep/output.h"

#include "common/output.h"
#include "config/json_text.h"

namespace lc {
namespace {

constexpr size_t kKeyWidth = 16;

}  // namespace

std::string value_text(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : json_text(value, -1);
}

void print_object(const nlohmann::json& object, PrintForm form) {
  if (form == PrintForm::kJson) return print_result(json_text(object, 2) + "\n");
  std::string lines;
  for (const auto& [key, value] : object.items()) {
    std::string name = key;
    if (name.size() < kKeyWidth) name.resize(kKeyWidth, ' ');
    lines += name + " " + value_text(value) + "\n";
  }
  print_result(lines);
}

}  // namespace lc

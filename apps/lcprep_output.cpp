#include "lcprep_output.h"

#include <cstdio>

namespace lc {

std::string value_text(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void print_object(const nlohmann::json& object, PrintForm form) {
  if (form == PrintForm::kJson) {
    std::printf("%s\n",
                object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return;
  }
  for (const auto& [key, value] : object.items()) {
    std::printf("%-16s %s\n", key.c_str(), value_text(value).c_str());
  }
}

}  // namespace lc

// What lcprep prints on stdout.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace lc {

enum class PrintForm { kText, kJson };

// A text as it is, anything else as JSON, in which bytes that are no whole character are U+FFFD.
std::string value_text(const nlohmann::json& value);

// A key and its value a line, or the object as JSON. Error(kRuntime) if it can't be written.
void print_object(const nlohmann::json& object, PrintForm form);

}  // namespace lc

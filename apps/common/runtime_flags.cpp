#include "common/runtime_flags.h"

#include <map>
#include <string>

#include "core/error.h"
#include "models/registry.h"

namespace lc {
namespace {

// A value as typed: JSON, or else a text.
nlohmann::json typed(const std::string& text) {
  nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  return value.is_discarded() ? nlohmann::json(text) : value;
}

}  // namespace

void add_runtime_flags(CLI::App& app, const OptionTable& table, RuntimeValues& values) {
  std::map<std::string, std::string> help;
  for (const ModelEntry& entry : model_registry()) {
    for (const auto& [flag, path] : entry.overrides) {
      const Option* row = table.find(path);
      LC_CHECK(row != nullptr);
      help[flag] += (help[flag].empty() ? "" : " | ") + entry.type + ": " + row->help;
    }
  }
  for (const auto& [flag, says] : help) {
    app.add_option_function<std::string>(
           "--" + flag,
           [&values, name = flag](const std::string& text) { values[name] = typed(text); }, says)
        ->type_name("VALUE");
  }
}

}  // namespace lc

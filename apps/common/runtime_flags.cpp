#include "common/runtime_flags.h"

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "config/json_text.h"
#include "core/error.h"
#include "models/registry.h"

namespace lc {
namespace {

// By flag: what it means, for each model type that has it; said once where all mean the same.
std::map<std::string, std::string> runtime_help(const OptionTable& table) {
  std::map<std::string, std::map<std::string, std::string>> types;  // flag -> help -> model types
  for (const ModelEntry& entry : model_registry()) {
    for (const auto& [flag, path] : entry.overrides) {
      const Option* row = table.find(path);
      LC_CHECK(row != nullptr);
      std::string& list = types[flag][row->help];
      list += (list.empty() ? "" : ", ") + entry.type;
    }
  }
  std::map<std::string, std::string> result;
  for (const auto& [flag, meanings] : types) {
    for (const auto& [help, list] : meanings) {
      std::string& text = result[flag];
      text += (text.empty() ? "" : " | ") + list + ": " + help;
    }
  }
  return result;
}

}  // namespace

void add_runtime_flags(CLI::App& app, const OptionTable& table, RuntimeValues& values) {
  for (const auto& [flag, says] : runtime_help(table)) {
    app.add_option_function<std::string>(
           "--" + flag,
           [&values, name = flag](const std::string& text) { values[name] = typed_value(text); },
           says)
        ->type_name("VALUE");
  }
}

void naming_flags(const RuntimeValues& values, const std::function<void()>& work) {
  ValueNames names;
  for (const auto& [flag, value] : values) names[flag] = "--" + flag;
  naming_values(names, work);
}

}  // namespace lc

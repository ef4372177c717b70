// A checked configuration: every option of the table with its value, defaults filled in.
//
// Reading is strict: unknown keys (with the nearest known one), wrong types, values out of range
// and duplicate keys are collected and thrown at once, as one Error(kUsage) with a line for each
// fault that names file, path, value and remedy. "$schema" and keys that begin with "_comment"
// pass.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "config/option_table.h"

namespace lc {

class Config {
 public:
  // text: the JSON; source: its name in messages; overrides: "a.b.c=VALUE" (VALUE is JSON, or a
  // bare text), applied after the file.
  static Config read(const OptionTable& table, std::string_view text, std::string_view source,
                     const std::vector<std::string>& overrides);

  // A value that the table knows; asking for another path, or for null as a value, is a slip.
  template <typename T>
  T get(std::string_view path) const {
    return at(path).get<T>();
  }
  bool is_null(std::string_view path) const { return at(path).is_null(); }
  // Whether the user wrote this value (file or override), not the default.
  bool given(std::string_view path) const;
  const nlohmann::json& at(std::string_view path) const;

  // The same configuration with one value set anew and checked.
  Config with(const OptionTable& table, std::string_view path, const nlohmann::json& value) const;

  const nlohmann::json& values() const { return values_; }  // complete, nested by section
  std::string dump() const;                                 // values(), indented, stable order

 private:
  nlohmann::json values_;
  std::vector<std::string> given_;
  std::vector<std::string> order_;  // paths as the table has them
};

// A difference between the config of a stored run and the one it is resumed with.
struct ConfigChange {
  std::string path;
  nlohmann::json before;
  nlohmann::json after;
  OnResume rule;
};
std::vector<ConfigChange> changes(const OptionTable& table, const Config& before,
                                  const Config& after);

// The value of a kSchedule option at a step: an integer holds always, of a list the last entry
// whose from is not past the step.
int64_t scheduled_value(const nlohmann::json& schedule, int64_t step);

// The rows of section "run": name, out_dir, init_from, seed, device, threads, precision.
std::vector<Option> run_options();

}  // namespace lc

// One written value against its row of the option table.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "config/option_table.h"

namespace lc {

class OptionCheck {
 public:
  explicit OptionCheck(const Option& option) : option_(option) {}

  // The value in the row's own type (1e4 as an integer, a text as a list of one); none: it doesn't
  // fit, and message() says so with path, value and remedy.
  std::optional<nlohmann::json> value(const nlohmann::json& written);
  const std::string& message() const { return message_; }

 private:
  using Checked = std::optional<nlohmann::json>;
  Checked refuse(const nlohmann::json& written, const std::string& what);
  Checked element(const nlohmann::json& written);
  Checked integer(const nlohmann::json& written);
  Checked number(const nlohmann::json& written);
  Checked in_range(const nlohmann::json& written, const nlohmann::json& taken);
  Checked list(const nlohmann::json& written);
  Checked schedule(const nlohmann::json& written);
  std::string wanted() const;

  const Option& option_;
  std::string message_;
};

}  // namespace lc

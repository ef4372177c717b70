#include "common/value_checks.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <string>

namespace lc {
namespace {

// "0 is too small", or "" for a whole number of at least that size.
std::string fault_of_whole_number(const std::string& text, uint64_t least) {
  const bool negative = text.starts_with('-');
  const char* end = text.data() + text.size();
  uint64_t size = 0;
  const auto read = std::from_chars(text.data() + (negative ? 1 : 0), end, size);
  if (read.ec == std::errc::invalid_argument || read.ptr != end) {
    return "\"" + text + "\" is no whole number";
  }
  if (read.ec == std::errc::result_out_of_range) {
    return text + (negative ? " is too small" : " is too large");
  }
  const bool too_small = negative ? size > 0 || least > 0 : size < least;
  return too_small ? text + " is too small" : "";
}

CLI::Validator not_empty(const std::string& wanted) {
  return {[wanted](const std::string& text) -> std::string {
            return text.empty() ? "is empty; give " + wanted : "";
          },
          ""};
}

}  // namespace

CLI::Validator finite_number() {
  return {[](const std::string& text) -> std::string {
            double value = 0;
            const char* end = text.data() + text.size();
            const auto read = std::from_chars(text.data(), end, value);
            const bool whole = read.ec == std::errc() && read.ptr == end && !text.empty();
            if (whole && std::isfinite(value)) return "";
            return "\"" + text + "\" is no finite number; give one such as 0.01";
          },
          ""};
}

CLI::Validator whole_number_from(uint64_t least) {
  const std::string from = std::to_string(least);
  return {[least, from](const std::string& text) -> std::string {
            const std::string fault = fault_of_whole_number(text, least);
            return fault.empty() ? "" : fault + "; give a whole number from " + from + " on";
          },
          from + " or more"};
}

CLI::Validator not_empty_list() { return not_empty("numbers with commas between them"); }

CLI::Validator not_empty_path() { return not_empty("a path"); }

}  // namespace lc

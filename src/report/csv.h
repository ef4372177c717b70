// Comma-separated values as RFC 4180 has them, with plain line feeds.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace lc {

// One line with its end; fields are quoted where they must be.
std::string csv_line(const std::vector<std::string>& fields);

// The shortest text that reads back as the same number; empty where there is none.
std::string csv_number(const std::optional<double>& value);

// The columns as header, then a line for each object: its values under these keys, empty where it
// has none or null.
std::string csv_of_objects(const std::vector<std::string>& columns,
                           const std::vector<nlohmann::json>& objects);

}  // namespace lc

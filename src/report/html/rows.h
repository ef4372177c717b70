// Lists of objects as tables of HTML.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace lc {

bool is_list_of_objects(const nlohmann::json& value);  // of one at least

// A row for each object, a column for each key; protocols are left out. Lists of objects in the
// rows become tables of their own, whose rows begin with the texts (such as the run's name) of the
// rows that they stood in. Of long lists the first rows, which is said.
std::string html_rows(const std::string& title, const nlohmann::json& list);

}  // namespace lc

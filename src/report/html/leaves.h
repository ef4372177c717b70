// The values in an object of JSON, however deep, each with the name that a page shows for it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace lc {

using HtmlLeaves = std::vector<std::pair<std::string, const nlohmann::json*>>;

enum class HtmlProtocols { kTaken, kLeftOut };

// {"a": {"b": 1}} gives "a: b"; a list is one value. They point into the object.
HtmlLeaves html_leaves(const nlohmann::json& object, HtmlProtocols protocols);

}  // namespace lc

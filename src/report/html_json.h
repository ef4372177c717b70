// Any result of lceval as HTML, without knowing which: the numbers of an object as a table of
// pairs, lists of objects as tables with a column for each key, objects in objects under their
// names.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace lc {

// The protocol is left out: html_protocol() shows it. Long lists are cut, which is said.
std::string html_result(const nlohmann::json& result);

// What the numbers depend on, to be opened; "" where the result has no protocol.
std::string html_protocol(const nlohmann::json& result);

}  // namespace lc

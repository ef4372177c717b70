// Any result of lceval as HTML, without knowing which: the numbers of an object as a table of
// pairs, lists of objects as tables with a column for each key, objects in objects under their
// names. Lists in the rows of a list become tables of their own, whose rows begin with the texts
// (such as the run's name) of the rows that they stood in.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace lc {

// Protocols are left out: html_protocol() shows them. Long lists are cut, which is said.
std::string html_result(const nlohmann::json& result);

// What the numbers depend on, to be opened: the protocol of the whole, then of each part (the two
// of a comparison, each of a list of runs) that has its own; "" where there is none.
std::string html_protocol(const nlohmann::json& result);

}  // namespace lc

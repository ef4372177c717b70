// Loss against context length on the report page: in one plot what can be compared.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lc {

struct ResultOfRun {
  std::string name;  // of the run
  nlohmann::json json;
};

// One plot of each two or more sweeps over contexts that scored the same targets of the same text,
// in the same tokens and mode; below them a line on what stands apart, and in what it differs.
// Empty for fewer than two sweeps; results without one are left out.
std::string html_contexts(const std::vector<ResultOfRun>& results);

}  // namespace lc

// Settings of runs side by side, as HTML.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lc {

struct RunSettings {
  std::string name;
  nlohmann::ordered_json config;  // as it was in effect, in the order of its file
};

// What differs first, marked; what all runs have in common is to be opened, section by section.
// Blocks of other model types than a run's own are idle: nothing stands there, and rows that say
// nothing to any run are left out.
std::string html_settings(const std::vector<RunSettings>& runs);

}  // namespace lc

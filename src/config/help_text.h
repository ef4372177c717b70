// The table of options as a text for people.
#pragma once

#include <string>

#include "config/option_table.h"

namespace lc {

// A line for each option (path, type, unit, default) and one for what it says, by section.
std::string help_text(const OptionTable& table);

}  // namespace lc

// The table of every option that a config file may hold.
#pragma once

#include "config/option_table.h"

namespace lc {

OptionTable full_option_table();

}  // namespace lc

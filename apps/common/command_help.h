// The help of a command that also takes flags of the whole program.
#pragma once

#include "common/unknown_argument.h"

namespace lc {

// Lists those that takes() says after the command's own, in their groups.
void list_flags_of_program(CLI::App& command, TakesFlag takes);

}  // namespace lc

// What every program writes to stdout.
#pragma once

#include <string_view>

namespace lc {

// At once. Error(kRuntime) if it can't be written.
void print_result(std::string_view text);

}  // namespace lc

// A diagnosis as people read it on stdout.
#pragma once

#include <string>

#include "eval/run_result.h"

namespace lc {

// The loss with memory knocked out beside that with it, and a table of what the model measured of
// itself: a row for each name and layer.
std::string diagnosis_text(const RunResult& result);

}  // namespace lc

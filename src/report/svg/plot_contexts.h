// The plot of loss against context length of one or more evaluated runs.
#pragma once

#include <vector>

#include "eval/run_result.h"
#include "report/svg/plot.h"

namespace lc {

// Every result holds a sweep over the same targets. The unit is the one they have in common.
Plot contexts_plot(const std::vector<RunResult>& results);

}  // namespace lc

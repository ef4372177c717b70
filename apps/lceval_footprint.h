// lceval --memory-footprint: what runs hold in memory.
#pragma once

#include <vector>

#include "config/option_table.h"
#include "eval/footprint_results.h"
#include "lceval_flags.h"
#include "lceval_runs.h"

namespace lc {

// At evaluation, with the values that the flags ask for. Weights and texts are not read.
std::vector<FootprintResult> footprints(const std::vector<NamedRun>& runs, const OptionTable& table,
                                        const EvalFlags& flags);

}  // namespace lc

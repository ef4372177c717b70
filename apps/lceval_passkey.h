// lceval passkey: the retrieval of a hidden number by one run.
#pragma once

#include "config/option_table.h"
#include "lceval_flags.h"
#include "lceval_runs.h"

namespace lc {

// The table, or one JSON object, on stdout; then the report files. A folder of several runs is an
// Error(kUsage).
void score_passkey(const NamedRun& run, const OptionTable& table, const EvalFlags& flags);

}  // namespace lc

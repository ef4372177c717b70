// Relative effective context lengths as people and programs read them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eval/contexts/effective_context_runs.h"
#include "report/file_place.h"
#include "report/svg/plot.h"

namespace lc {

// One row a run of each group, one column a share of the targets. "1,000+": the longest context
// measured still helped.
std::string effective_context_table(const EffectiveContextReport& report);

// group, run, parameters, share, targets, effective_context, at_least, context, longer, gain: one
// row a step.
std::string effective_context_csv(const EffectiveContextReport& report);

// The gain of each step on the smallest share of the targets, one curve a run of each group, and
// the smallest gain that counts.
Plot effective_context_plot(const EffectiveContextReport& report);

// BEGIN_recl_MODE.json, .csv and .svg. Returns the files written.
std::vector<std::filesystem::path> write_effective_context(const EffectiveContextReport& report,
                                                           const FilePlace& place);

}  // namespace lc

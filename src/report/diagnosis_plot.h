// What models measured of themselves, as bars and as CSV.
//
// A share (the gate of a memory) is a histogram of each layer over the tenths of 0 to 1 (Munkhdalai
// et al. 2024, figure 3); any other number (a compression's loss) its mean by layer (Rae et al.
// 2020, figure 6).
#pragma once

#include <string>
#include <vector>

#include "eval/run_result.h"
#include "report/svg/bars.h"

namespace lc {

// One panel for each number, one for each layer of a share. With several results their names stand
// in the titles; one that measured nothing has no panel.
BarChart diagnosis_chart(const std::vector<RunResult>& results);

// run, measured, layer, min, mean, max, tenth_0 .. tenth_9 (fractions; of shares alone). First two
// rows a run without a layer, whose mean is the loss: nats_per_token and, with memory knocked out,
// nats_per_token_without_memory.
std::string diagnosis_csv(const std::vector<RunResult>& results);

}  // namespace lc

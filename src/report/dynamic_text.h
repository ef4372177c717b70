// Dynamic evaluations as people and programs read them. Every result holds one.
#pragma once

#include <string>
#include <vector>

#include "eval/run_result.h"
#include "report/svg/plot.h"

namespace lc {

// One row a run: nats per token with learning and with the trained weights, the difference with its
// interval.
std::string dynamic_table(const std::vector<RunResult>& results);

// run, tokens, nats_per_token, plain_nats_per_token: means over the first so many targets.
std::string dynamic_csv(const std::vector<RunResult>& results);

// The same numbers, two curves a run.
Plot dynamic_plot(const std::vector<RunResult>& results);

}  // namespace lc

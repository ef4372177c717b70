// Results as people read them on stdout: tables, and the protocol under them.
#pragma once

#include <string>
#include <vector>

#include "eval/run_result.h"

namespace lc {

// One row a run. Units that no run has are left out; word perplexity has its own interval.
std::string results_table(const std::vector<RunResult>& results);

// One row a context length; with several runs a column each, in their common unit. All results
// hold a sweep over the same lengths.
std::string contexts_table(const std::vector<RunResult>& results);

// One row a cell of the grid, with the mode of evaluation where cells differ in it from one another
// or from the split's; of a grid over two flags also a square of losses, the first flag downwards.
// All results hold a grid over the same values.
std::string sweep_table(const std::vector<RunResult>& results);

// "key value; key value ...": the choices that the numbers depend on in one line, where the result
// comes from first; words, with the way they were counted, last. Hashes, counts of
// other units and how intervals are made are in the JSON only.
std::string protocol_line(nlohmann::json protocol);

// "18.312", large ones in whole numbers with separators, from 1e15 on "1.235e+15"; "-" where there
// is none.
std::string perplexity_text(const std::optional<double>& value);

// "1.9712 to 2.0034", or "-".
std::string interval_text(const std::optional<Interval>& interval, int decimals);
// "18.012 to 19.655", its bounds written as perplexities are, or "-".
std::string perplexity_interval_text(const std::optional<Interval>& interval);

}  // namespace lc

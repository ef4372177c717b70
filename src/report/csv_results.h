// Results as CSV, for spreadsheets and plotting programs: units in the column names, one row a
// number.
#pragma once

#include <string>
#include <vector>

#include "eval/run_result.h"

namespace lc {

// run, step, split, then the keys of the JSON object. Undefined numbers are empty.
std::string results_csv(const std::vector<RunResult>& results);

// run, context, then the keys of a context of the JSON object; every result holds a sweep.
std::string contexts_csv(const std::vector<RunResult>& results);

// run, a column for each flag of the grid, then the keys of a cell of the JSON object; every result
// holds a grid over the same values.
std::string sweep_csv(const std::vector<RunResult>& results);

}  // namespace lc

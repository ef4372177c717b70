// What lceval prints and writes.
#pragma once

#include <string>
#include <vector>

#include "eval/compare.h"
#include "eval/footprint_results.h"
#include "lceval_flags.h"
#include "lceval_runs.h"

namespace lc {

// To stdout, at once. Error(kRuntime) if it can't be written.
void print_result(const std::string& text);

// Tables with the protocol, or JSON, on stdout; then the report files.
void report(const std::vector<EvaluatedRun>& runs, const EvalFlags& flags);
void report(const Comparison& comparison, const EvalFlags& flags);
void report(const std::vector<FootprintResult>& results, const EvalFlags& flags);

}  // namespace lc

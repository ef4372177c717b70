// What lceval prints and writes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lceval_flags.h"
#include "lceval_runs.h"

namespace lc {

// To stdout, at once. Error(kRuntime) if it can't be written.
void print_result(const std::string& text);

// One line on stdout: how the run was scored.
void print_protocol(const RunResult& result);

// Whole or not at all; says where it was written.
void write_result_file(const std::filesystem::path& file, const std::string& text);

// Tables with the protocol, or JSON, on stdout; then the report files.
void report(const std::vector<EvaluatedRun>& runs, const EvalFlags& flags);

}  // namespace lc

// What lceval prints and writes.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/output.h"
#include "lceval/flags.h"
#include "lceval/runs.h"

namespace lc {

// One line on stdout: how the run was scored.
void print_protocol(const std::string& run, const nlohmann::json& protocol);
void print_protocol(const RunResult& result);

// Whole or not at all; says where it was written.
void write_result_file(const std::filesystem::path& file, const std::string& text);

// Writes report files there and returns which.
using WriteFiles = std::function<std::vector<std::filesystem::path>(const FilePlace&)>;

// Says what was written there.
void write_files(const WriteFiles& write, const FilePlace& place);

// The same in a run's own folder, which may be read-only: that costs a warning only.
void write_own_files(const WriteFiles& write, const OwnFiles& files);

// Into --out where it is given, else as the run's own files.
void write_files_of_run(const WriteFiles& write, const OwnFiles& files, const EvalFlags& flags);

// Tables with the protocol, or JSON, on stdout; then the report files.
void report(const std::vector<EvaluatedRun>& runs, const EvalFlags& flags);

}  // namespace lc

// Where lceval is to write: looked at before hours are spent on what would be written.
#pragma once

#include <filesystem>
#include <string>

#include "lceval/flags.h"

namespace lc {

enum class Output { kFile, kFolder };

// Error(kUsage) where nothing of that kind can be made at the path, Error(kRuntime) where that
// isn't allowed; flag: whose value it is.
void check_output(const std::string& flag, const std::filesystem::path& path, Output output);

// The files of --csv, --plot and --dump-nll, where they are given.
void check_output_files(const EvalFlags& flags);

}  // namespace lc

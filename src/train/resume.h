// Whether a run that exists may go on under the config that is asked for (PROTOCOL, resume).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/config.h"

namespace lc {

// The config that a run was started with, from its folder. Error(kData) if this version of the
// program can't read it; otherwise: what else to do than to use the version that wrote it.
Config read_stored_config(const OptionTable& table, const std::filesystem::path& config_file,
                          const std::string& otherwise = "");

// Values that may change are taken: one line for each, old -> new. Error(kUsage) that lists every
// other changed value, old -> new.
std::vector<std::string> taken_changes(const OptionTable& table, const Config& stored,
                                       const Config& wanted);

}  // namespace lc

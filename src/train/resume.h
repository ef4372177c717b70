// Whether a run that exists may go on under the config that is asked for (PROTOCOL, resume).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "train/limits.h"
#include "train/training_state.h"

namespace lc {

// The config that a run was started with, from its folder. Error(kData) if this version of the
// program can't read it; otherwise: what else to do than to use the version that wrote it.
Config read_stored_config(const OptionTable& table, const std::filesystem::path& config_file,
                          const std::string& otherwise = "");

// Values that may change are taken: one line for each, old -> new. Error(kUsage) that lists every
// other changed value, old -> new.
std::vector<std::string> taken_changes(const OptionTable& table, const Config& stored,
                                       const Config& wanted);

// What the next update is made under: the config that the run had, and the one it goes on with.
struct ChangedConfig {
  const Config& before;
  const Config& after;
};

// What to say where the changes move the learning rate of the next update, in the digits that are
// shown: its rate before and after, and how to keep a schedule that followed the run's length. None
// where it stays, or no update comes. state: where the run stands; epoch: of its train split.
std::optional<std::string> moved_rate(const ChangedConfig& config, const TrainingState& state,
                                      const EpochSize& epoch);

}  // namespace lc

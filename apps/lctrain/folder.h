// The folder that lctrain trains in: what stands there, and whether a run in it goes on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/run_folder.h"
#include "config/config.h"
#include "data/lane_plan.h"
#include "train/train_settings.h"
#include "train/training_state.h"

namespace lc {

// What to do with a folder that isn't empty: go on with its run, refuse it, or move it aside.
enum class Start { kResume, kRefuseExisting, kRestart };

// Before the folder is held: refuses it or moves its run aside, as asked for and as it stands.
// Error(kUsage) says what stands there instead.
void clear_folder(const RunFolder& folder, Start start);

// A run that training goes on with, from its last checkpoint.
struct StoredRun {
  std::filesystem::path step_folder;
  TrainingState state;
  Config config;                     // as it was started
  std::vector<std::string> changes;  // that the config asked for makes, old -> new
};

// The run in the folder, which is held. None where there is no checkpoint: training starts, under
// whatever config, also where a run ended before its first. Error(kUsage) if its config doesn't let
// it go on, or its weights are imported ones.
std::optional<StoredRun> stored_run(const OptionTable& table, const Config& config,
                                    const RunFolder& folder);

// Whether nothing is left to do, which is said. evaluates: the last step is to be evaluated.
bool already_finished(const TrainSettings& settings, const TrainingState& state, bool evaluates);

// Says what is other than before where a run goes on. epoch: the lanes of its first.
void report_changes(const StoredRun& run, const Config& config, const LanePlan& epoch);

}  // namespace lc

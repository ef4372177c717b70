#include "lctrain/folder.h"

#include <filesystem>
#include <utility>

#include "checkpoint/checkpoint.h"
#include "core/error.h"
#include "core/log.h"
#include "train/limits.h"
#include "train/resume.h"

namespace lc {
namespace {

void move_aside(const RunFolder& folder) {
  if (!folder.holds_run() && !folder.last()) {
    throw Error(ErrorKind::kUsage, folder.path().string(),
                "the folder holds other files, and no run that --restart could move aside",
                "choose another with --out, or leave out --restart to train beside them");
  }
  { const RunLock unused_by_others(folder); }
  log_info("the old run was moved to " + folder.move_aside().string());
}

Config config_as_started(const OptionTable& table, const Config& config, const RunFolder& folder) {
  if (!folder.holds_run()) return config;  // its file is lost
  return read_stored_config(table, folder.config_file(), ", or start anew with --restart");
}

}  // namespace

void clear_folder(const RunFolder& folder, Start start) {
  namespace fs = std::filesystem;
  const std::string path = folder.path().string();
  if (fs::exists(folder.path()) && !fs::is_directory(folder.path())) {
    throw Error(ErrorKind::kUsage, path, "is a file, no folder for a run",
                "choose another path with --out");
  }
  if (folder.empty() || start == Start::kResume) return;
  if (start == Start::kRestart) return move_aside(folder);
  throw Error(ErrorKind::kUsage, path, "the folder isn't empty",
              "choose another with --out, leave out --resume none to go on with its run, or move "
              "it aside with --restart");
}

std::optional<StoredRun> stored_run(const OptionTable& table, const Config& config,
                                    const RunFolder& folder) {
  const auto last = folder.last();
  if (!last) return {};
  Config stored = config_as_started(table, config, folder);
  std::vector<std::string> changes = taken_changes(table, stored, config);
  const auto checkpoint = load_checkpoint(*last, CheckpointParts::kWeights);
  if (checkpoint.state.contains(kImportedState)) {
    throw Error(ErrorKind::kUsage, last->string(),
                "holds imported weights, no training to go on with",
                "train in another folder, with --init-from this one");
  }
  return StoredRun{*last, TrainingState::from_json(checkpoint.state, last->string()),
                   std::move(stored), std::move(changes)};
}

bool already_finished(const TrainSettings& settings, const TrainingState& state, bool evaluates) {
  const bool evaluated = !evaluates || state.evaluated_step == state.step;
  if (!finished(settings.limits, state) || !evaluated) return false;
  log_info("this run is finished: step " + std::to_string(state.step) + ", " +
           std::to_string(state.tokens) + " tokens; raise its limit in section train to go on");
  return true;
}

void report_changes(const StoredRun& run, const Config& config, const LanePlan& epoch) {
  for (const std::string& change : run.changes) log_info("changed for the resumed run: " + change);
  const auto moved =
      moved_rate({run.config, config}, run.state, {epoch.segments(), epoch.inputs()});
  if (moved) log_warning(*moved);
}

}  // namespace lc

#include "train/resume.h"

#include <array>
#include <cstdio>

#include "core/error.h"
#include "core/file_io.h"
#include "optim/schedule.h"
#include "train/train_settings.h"

namespace lc {
namespace {

std::string line_of(const ConfigChange& change) {
  return change.path + ": " + change.before.dump() + " -> " + change.after.dump();
}

ScheduleSettings schedule_of_run(const Config& config, const EpochSize& epoch) {
  return schedule_settings(config, planned_steps(train_settings(config), epoch));
}

std::string shown_rate(double rate) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", rate);
  return text.data();
}

// Whether the schedule ends where the run does.
bool follows_run(const Config& config, const ScheduleSettings& schedule) {
  const bool ends =
      schedule.kind == ScheduleKind::kLinear || schedule.kind == ScheduleKind::kCosine;
  return ends && config.is_null("optim.schedule.total_steps");
}

}  // namespace

Config read_stored_config(const OptionTable& table, const std::filesystem::path& config_file,
                          const std::string& otherwise) {
  const std::string text = read_file(config_file);
  try {
    return Config::read(table, text, config_file.string(), {});
  } catch (const Error& error) {
    throw Error(ErrorKind::kData, config_file.string(),
                "this version can't read the run's config (" + std::string(error.what()) + ")",
                "use the version that wrote it" + otherwise);
  }
}

std::vector<std::string> taken_changes(const OptionTable& table, const Config& stored,
                                       const Config& wanted) {
  std::vector<std::string> taken;
  std::string refused;
  for (const ConfigChange& change : changes(table, stored, wanted)) {
    if (change.rule == OnResume::kRefused) {
      refused += (refused.empty() ? "" : ", ") + line_of(change);
      continue;
    }
    taken.push_back(line_of(change));
    if (change.rule == OnResume::kTakenWithNote) {
      taken.back() += " (from here on results may differ in the last bits)";
    }
  }
  if (!refused.empty()) {
    throw Error(ErrorKind::kUsage, "resume", "the run was started with other values: " + refused,
                "undo the change, choose another run.out_dir, or start anew with --restart");
  }
  return taken;
}

std::optional<std::string> moved_rate(const ChangedConfig& config, const TrainingState& state,
                                      const EpochSize& epoch) {
  if (finished(train_settings(config.after).limits, state)) return {};
  const ScheduleSettings before = schedule_of_run(config.before, epoch);
  const ScheduleSettings after = schedule_of_run(config.after, epoch);
  const std::string rate_before = shown_rate(learning_rate(before, state.step));
  const std::string rate_after = shown_rate(learning_rate(after, state.step));
  if (rate_before == rate_after) return {};
  std::string text = "the changes move the learning rate of step " +
                     std::to_string(state.step + 1) + " from " + rate_before + " to " + rate_after;
  if (follows_run(config.before, before) && follows_run(config.after, after) &&
      before.total_steps != after.total_steps) {
    text += "; optim.schedule.total_steps is null and follows the length of the run: set it to " +
            std::to_string(before.total_steps) + " to keep the schedule";
  }
  return text;
}

}  // namespace lc

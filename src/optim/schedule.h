// The learning rate of each update.
//
// standard: warm-up lr * (t + 1) / w for the first w updates, so that the first rate is lr / w;
// then decay over the total - w updates that follow, from lr towards min_lr. reference:
// kimiyoung/transformer-xl's. The first update runs at lr; the warm-up is lr * t / w; linear and
// cosine decay count from the first update over total_steps, warm-up not subtracted; constant stays
// at the last rate of the warm-up; inverse_sqrt is lr * t / w^1.5, then lr / sqrt(t), and its first
// update follows that formula too (lr without warm-up, else 0). Rates in the unit of optim.lr; t:
// finished updates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"

namespace lc {

enum class ScheduleKind { kConstant, kLinear, kCosine, kInverseSqrt };
enum class ScheduleConvention { kStandard, kReference };

struct ScheduleSettings {
  ScheduleKind kind = ScheduleKind::kConstant;
  ScheduleConvention convention = ScheduleConvention::kStandard;
  double rate = 0;  // optim.lr, the highest rate
  double min_rate = 0;
  int64_t warmup_steps = 0;
  int64_t total_steps = 0;  // read by linear and cosine alone
};

// planned_steps: the updates of the run where they are known, taken if optim.schedule.total_steps
// is null. Error(kUsage) if a schedule that ends knows no total, or min_lr is above lr.
ScheduleSettings schedule_settings(const Config& config, std::optional<int64_t> planned_steps);

// The rate of the update before which `update` updates were finished (0 for the first). Past the
// total the last rate goes on.
double learning_rate(const ScheduleSettings& settings, int64_t update);

// The rows of section "optim". groups: the parameter groups that some model has, each with rows of
// its own in optim.groups.
std::vector<Option> optim_options(const std::vector<std::string>& groups);

}  // namespace lc

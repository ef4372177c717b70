#include "optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/error.h"

namespace lc {
namespace {

double decayed(const ScheduleSettings& s, double progress) {
  const double p = std::clamp(progress, 0.0, 1.0);
  const double share =
      s.kind == ScheduleKind::kLinear ? 1 - p : (1 + std::cos(std::numbers::pi * p)) / 2;
  return s.min_rate + (s.rate - s.min_rate) * share;
}

double standard_rate(const ScheduleSettings& s, int64_t update) {
  const auto t = static_cast<double>(update);
  const auto w = static_cast<double>(s.warmup_steps);
  if (update < s.warmup_steps) return s.rate * (t + 1) / w;
  switch (s.kind) {
    case ScheduleKind::kConstant:
      return s.rate;
    case ScheduleKind::kInverseSqrt:
      return std::max(s.min_rate, s.rate * std::sqrt(std::max(w, 1.0) / (t + 1)));
    default:
      return decayed(s, (t - w) / std::max(1.0, static_cast<double>(s.total_steps) - w));
  }
}

double reference_rate(const ScheduleSettings& s, int64_t update) {
  const auto t = static_cast<double>(update);
  const auto w = static_cast<double>(s.warmup_steps);
  if (s.kind == ScheduleKind::kInverseSqrt) {
    if (update < s.warmup_steps) return s.rate * t / std::pow(w, 1.5);
    return std::max(s.min_rate, s.rate / std::sqrt(std::max(t, 1.0)));
  }
  if (update == 0) return s.rate;
  if (update < s.warmup_steps) return s.rate * t / w;
  if (s.kind == ScheduleKind::kConstant) return s.warmup_steps > 1 ? s.rate * (w - 1) / w : s.rate;
  return decayed(s, t / static_cast<double>(s.total_steps));
}

}  // namespace

double learning_rate(const ScheduleSettings& settings, int64_t update) {
  LC_CHECK(update >= 0);
  return settings.convention == ScheduleConvention::kStandard ? standard_rate(settings, update)
                                                              : reference_rate(settings, update);
}

ScheduleSettings schedule_settings(const Config& config, std::optional<int64_t> planned_steps) {
  const auto name = config.get<std::string>("optim.schedule.name");
  ScheduleSettings s;
  s.kind = name == "linear"         ? ScheduleKind::kLinear
           : name == "cosine"       ? ScheduleKind::kCosine
           : name == "inverse_sqrt" ? ScheduleKind::kInverseSqrt
                                    : ScheduleKind::kConstant;
  s.convention = config.get<std::string>("optim.schedule.convention") == "reference"
                     ? ScheduleConvention::kReference
                     : ScheduleConvention::kStandard;
  s.rate = config.get<double>("optim.lr");
  s.min_rate = config.get<double>("optim.schedule.min_lr");
  s.warmup_steps = config.get<int64_t>("optim.schedule.warmup_steps");
  if (s.min_rate > s.rate) {
    throw Error(ErrorKind::kUsage, "optim.schedule.min_lr",
                config.at("optim.schedule.min_lr").dump() + " is above optim.lr " +
                    config.at("optim.lr").dump(),
                "give at most optim.lr");
  }
  const bool ends = s.kind == ScheduleKind::kLinear || s.kind == ScheduleKind::kCosine;
  if (!config.is_null("optim.schedule.total_steps")) {
    s.total_steps = config.get<int64_t>("optim.schedule.total_steps");
  } else if (planned_steps) {
    s.total_steps = std::max<int64_t>(1, *planned_steps);
  } else if (ends) {
    throw Error(ErrorKind::kUsage, "optim.schedule.total_steps",
                "null, and the run doesn't say how many steps it has, which " + name + " needs",
                "set it, or train.steps");
  }
  return s;
}

}  // namespace lc

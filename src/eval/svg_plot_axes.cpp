#include "eval/svg_plot_axes.h"

#include <algorithm>
#include <cmath>

#include "eval/svg_plot_text.h"

namespace lc {
namespace {

constexpr double kTickFontSize = 12;
constexpr double kTickGap = 10;

std::string context_label(double value) {
  return value == std::floor(value) ? grouped(static_cast<int64_t>(value)) : decimal(value, 2);
}

// The smallest of 1, 2, 2.5, 5 times a power of ten that is not below.
double round_step(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

// Decimals that show a multiple of the step exactly.
int decimals_of(double step) {
  int decimals = 0;
  for (double scaled = step; decimals < 12; ++decimals, scaled *= 10) {
    if (std::abs(scaled - std::round(scaled)) < 1e-6 * scaled) break;
  }
  return decimals;
}

}  // namespace

ContextScale::ContextScale(const std::vector<double>& values) : values_(values) {
  std::sort(values_.begin(), values_.end());
  values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  const auto positive = std::upper_bound(values_.begin(), values_.end(), 0.0);
  if (positive != values_.end()) linear_up_to_ = *positive;
  if (values_.empty()) return;
  first_ = units(values_.front());
  last_ = units(values_.back());
}

double ContextScale::units(double value) const {
  const double ratio = value / linear_up_to_;
  return ratio <= 1 ? ratio : 1 + std::log2(ratio);
}

double ContextScale::at(double value) const {
  if (last_ == first_) return 0.5;
  return (units(value) - first_) / (last_ - first_);
}

std::vector<Tick> ContextScale::ticks(double pixels) const {
  std::vector<Tick> result;
  const auto place = [&](const Tick& tick) { return at(tick.value) * pixels; };
  const auto touch = [&](const Tick& left, const Tick& right) {
    const double half = text_width(left.label, kTickFontSize) / 2 +
                        text_width(right.label, kTickFontSize) / 2 + kTickGap;
    return place(right) - place(left) < half;
  };
  for (const double value : values_) {
    const Tick tick{value, context_label(value)};
    const bool last = value == values_.back();
    while (last && result.size() > 1 && touch(result.back(), tick)) result.pop_back();
    if (result.empty() || !touch(result.back(), tick)) result.push_back(tick);
  }
  return result;
}

LossScale::LossScale(const std::vector<double>& values, int intervals) : low_(0), high_(1) {
  if (!values.empty()) {
    low_ = *std::min_element(values.begin(), values.end());
    high_ = *std::max_element(values.begin(), values.end());
  }
  const double least = std::max(std::abs(high_) * 1e-3, 1e-6);
  if (high_ - low_ < least) {
    low_ -= least / 2;
    high_ += least / 2;
  }
  const double step = round_step((high_ - low_) / intervals);
  const double margin = 0.15 * step;
  const auto first = static_cast<int64_t>(std::floor((low_ - margin) / step));
  const auto last = static_cast<int64_t>(std::ceil((high_ + margin) / step));
  for (int64_t i = first; i <= last; ++i) {
    const double value = static_cast<double>(i) * step;
    ticks_.push_back({value, decimal(value, decimals_of(step))});
  }
  low_ = ticks_.front().value;
  high_ = ticks_.back().value;
}

double LossScale::at(double value) const { return (value - low_) / (high_ - low_); }

}  // namespace lc

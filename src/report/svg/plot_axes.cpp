#include "report/svg/plot_axes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/number_text.h"
#include "report/svg/plot_text.h"

namespace lc {
namespace {

constexpr double kTickFontSize = 12;
constexpr double kTickGap = 10;
constexpr int kLinearIntervals = 5;

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

// "2.5M": a round number of a long linear axis.
std::string short_label(double value, double step) {
  for (const auto& [size, letter] :
       {std::pair{1e9, "B"}, std::pair{1e6, "M"}, std::pair{1e3, "k"}}) {
    if (step < size / 10 || value == 0) continue;
    return decimal(value / size, decimals_of(step / size)) + letter;
  }
  return decimal(value, decimals_of(step));
}

}  // namespace

ContextScale::ContextScale(const std::vector<double>& values, HorizontalAxis axis)
    : axis_(axis), values_(values) {
  if (axis == HorizontalAxis::kLinear) values_.push_back(0);
  std::sort(values_.begin(), values_.end());
  values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  const auto positive = std::upper_bound(values_.begin(), values_.end(), 0.0);
  if (positive != values_.end()) linear_up_to_ = *positive;
  if (values_.empty()) return;
  first_ = units(values_.front());
  last_ = units(values_.back());
}

double ContextScale::units(double value) const {
  if (axis_ == HorizontalAxis::kLinear) return value;
  const double ratio = value / linear_up_to_;
  return ratio <= 1 ? ratio : 1 + std::log2(ratio);
}

double ContextScale::at(double value) const {
  if (last_ == first_) return 0.5;
  return (units(value) - first_) / (last_ - first_);
}

std::vector<Tick> ContextScale::candidates() const {
  std::vector<Tick> result;
  if (axis_ == HorizontalAxis::kContexts) {
    for (const double value : values_) result.push_back({value, context_label(value)});
    return result;
  }
  if (first_ == last_) return {{first_, short_label(first_, 1)}};
  const double step = round_step((last_ - first_) / kLinearIntervals);
  for (double i = std::ceil(first_ / step); i * step <= last_; ++i) {
    result.push_back({i * step, short_label(i * step, step)});
  }
  return result;
}

std::vector<Tick> ContextScale::ticks(double pixels) const {
  std::vector<Tick> result;
  const auto place = [&](const Tick& tick) { return at(tick.value) * pixels; };
  const auto touch = [&](const Tick& left, const Tick& right) {
    const double half = text_width(left.label, kTickFontSize) / 2 +
                        text_width(right.label, kTickFontSize) / 2 + kTickGap;
    return place(right) - place(left) < half;
  };
  const std::vector<Tick> all = candidates();
  for (const Tick& tick : all) {
    const bool last = tick.value == all.back().value;
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

BarScale::BarScale(const std::vector<double>& values, int intervals) {
  double low = 0;
  double high = 0;
  for (const double value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low == high) high = 1;
  const double step = round_step((high - low) / intervals);
  const auto first = static_cast<int64_t>(std::floor(low / step + 1e-9));
  const auto last = static_cast<int64_t>(std::ceil(high / step - 1e-9));
  for (int64_t i = first; i <= last; ++i) {
    const double value = static_cast<double>(i) * step;
    ticks_.push_back({value, decimal(value, decimals_of(step))});
  }
}

double BarScale::at(double value) const {
  const double low = ticks_.front().value;
  return (value - low) / (ticks_.back().value - low);
}

}  // namespace lc

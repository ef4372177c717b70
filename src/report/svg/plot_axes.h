// The two scales of a plot: from values to a fraction of the axis, and the ticks.
#pragma once

#include <string>
#include <vector>

namespace lc {

struct Tick {
  double value;
  std::string label;
};

// contexts: linear from 0 to the smallest positive value, logarithmic above, so that every doubling
// is as wide as the way from 0 to the first value, and 0 has a place. linear: from 0 or below.
enum class HorizontalAxis { kContexts, kLinear };

class ContextScale {
 public:
  explicit ContextScale(const std::vector<double>& values,
                        HorizontalAxis axis = HorizontalAxis::kContexts);
  double at(double value) const;  // 0 .. 1, increasing
  // The values themselves, or round numbers of a linear axis; fewer where labels would touch on an
  // axis of that many pixels.
  std::vector<Tick> ticks(double pixels) const;

 private:
  double units(double value) const;
  std::vector<Tick> candidates() const;

  HorizontalAxis axis_;
  std::vector<double> values_;  // ascending, each once
  double linear_up_to_ = 1;
  double first_ = 0;  // in units
  double last_ = 1;
};

// Linear, over round numbers.
class LossScale {
 public:
  LossScale(const std::vector<double>& values, int intervals);
  double at(double value) const;  // 0 at the bottom, 1 at the top
  const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  double low_;
  double high_;
  std::vector<Tick> ticks_;
};

// Linear, over round numbers, from 0 or the smallest value below it: for bars.
class BarScale {
 public:
  BarScale(const std::vector<double>& values, int intervals);
  double at(double value) const;  // 0 at the bottom, 1 at the top
  const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  std::vector<Tick> ticks_;
};

}  // namespace lc

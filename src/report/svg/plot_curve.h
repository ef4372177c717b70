// How one curve is drawn: its line, its markers and its intervals.
#pragma once

#include <string>

#include "report/svg/plot.h"
#include "report/svg/plot_axes.h"

namespace lc {

inline constexpr size_t kCurveStyles = 6;  // colours; they repeat after that

// Where values lie on the page, in pixels; y grows downwards.
struct PlotFrame {
  ContextScale context;
  LossScale loss;
  double left = 0;
  double width = 0;
  double height = 0;
  double bottom = 0;
  double inset = 0;

  double x(double value) const { return left + inset + context.at(value) * (width - 2 * inset); }
  double y(double value) const { return bottom - loss.at(value) * height; }
};

struct PixelPoint {
  double x;
  double y;
};

std::string pixels(double value);  // a coordinate, two decimals
std::string curve_class(size_t curve);
bool has_interval(const PlotPoint& point);

// The mark of a curve's points; tip: the text that a mouse brings up, or empty.
std::string marker(size_t curve, PixelPoint at, const std::string& tip);
std::string draw_line(const PlotCurve& curve, size_t index, const PlotFrame& frame);
std::string draw_intervals(const PlotCurve& curve, size_t index, const PlotFrame& frame);

}  // namespace lc

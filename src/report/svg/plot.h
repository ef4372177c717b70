// A line plot as one self-contained SVG file: loss against context length or tokens, one curve per
// run.
//
// The horizontal axis is linear, or logarithmic and yet shows 0: linear from 0 to the smallest
// positive value, logarithmic above. Intervals are bands around the curve, bars where a point
// stands alone. Points whose value is not finite are left out and break the line; the subtitle
// names a curve that has no others. Colours follow the reader's light or dark theme, and every
// curve also has its own marker; curves of many points have it in the legend alone.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "report/svg/plot_axes.h"

namespace lc {

struct PlotPoint {
  double x = 0;  // at least 0
  double y = 0;
  double low = std::numeric_limits<double>::quiet_NaN();  // not finite: no interval
  double high = std::numeric_limits<double>::quiet_NaN();
};

struct PlotCurve {
  std::string name;
  std::vector<PlotPoint> points;  // ascending x
};

struct Plot {
  std::string title;
  std::string subtitle;  // what was measured, in one line
  std::string x_label;   // with the unit
  std::string y_label;   // with the unit
  std::vector<PlotCurve> curves;
  HorizontalAxis axis = HorizontalAxis::kContexts;
  double width = 820;  // pixels
};

// The whole file, UTF-8. Any text may stand in names and labels.
std::string svg_plot(const Plot& plot);

}  // namespace lc

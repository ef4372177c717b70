// A dot plot as one self-contained SVG file: a row for each thing that was measured, in it a mark
// for each run with its interval, all on one scale from left to right.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace lc {

struct Dot {
  double value = std::numeric_limits<double>::quiet_NaN();  // not finite: nothing is drawn
  double low = std::numeric_limits<double>::quiet_NaN();    // not finite: no interval
  double high = std::numeric_limits<double>::quiet_NaN();
  bool lost = false;  // something was measured, and it is not finite: the subtitle says so
};

struct DotSeries {
  std::string name;
  std::vector<Dot> dots;  // one a row
};

struct DotPlot {
  std::string title;
  std::string subtitle;
  std::string x_label;            // with the unit
  std::vector<std::string> rows;  // names, top to bottom
  std::vector<DotSeries> series;
};

// The whole file, UTF-8. Any text may stand in names and labels.
std::string svg_dot_plot(const DotPlot& plot);

}  // namespace lc

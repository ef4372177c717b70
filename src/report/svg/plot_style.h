// What plots with curves or marks of several runs have in common: colours, lines, the legend.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace lc {

// Rules for .c0 .. .c5, a run's colour in a light and a dark theme; rules after them may take
// stroke or fill away.
std::string series_colours();

// The same with rules for what is drawn in it: .line, .bar, .band, .marker, .value.
std::string curve_css();

// x1, y1, x2, y2.
std::string svg_line(const std::string& css_class, std::array<double, 4> from_to);

// The names with their markers, in as many rows as they need.
struct SvgLegend {
  std::string svg;
  double height = 0;
};
struct LegendPlace {
  double top;
  double width;  // of the page
};
SvgLegend svg_legend(const std::vector<std::string>& names, LegendPlace place);

}  // namespace lc

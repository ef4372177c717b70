// Bars as one self-contained SVG file: panels of groups of bars side by side, such as a number by
// layer, a histogram, or masses by kind of keys.
//
// Panels that share a scale can be compared by eye. Every group has its name under it, in narrow
// panels where there is room; every bar its number as a tooltip and, where there is room, above it.
// Bars whose value is not finite are left out.
#pragma once

#include <string>
#include <vector>

namespace lc {

struct BarGroup {
  std::string name;
  std::string first;  // under the first bar
  std::string last;   // under the last
  std::vector<double> values;
  size_t colour = 0;
};

enum class PanelSize { kWide, kThird };  // of the page
PanelSize size_for(size_t bars);         // of a panel that needs no more room than its bars

struct BarPanel {
  std::string title;
  PanelSize size = PanelSize::kWide;
  std::string scale;  // panels of the same name share one; empty: its own
  std::vector<BarGroup> groups;
};

struct BarChart {
  std::string title;
  std::string subtitle;  // what was measured, in one line, with the unit
  std::vector<BarPanel> panels;
};

// The number of a bar: about three digits, whatever its size. It must be finite.
std::string bar_amount(double value);

// The whole file, UTF-8. Any text may stand in names and labels.
std::string svg_bars(const BarChart& chart);

}  // namespace lc

// A heat map as one self-contained SVG file: a table of shares from 0 to 1 as coloured fields with
// their numbers, one panel or several of the same shape below one another.
//
// The colour goes from pale to dark blue; every field also shows its number in per cent, so that
// nothing hangs on colour alone.
#pragma once

#include <string>
#include <vector>

namespace lc {

struct HeatPanel {
  std::string name;
  std::vector<std::vector<double>> rows;  // [row][column], 0 .. 1
};

struct HeatMap {
  std::string title;
  std::string subtitle;
  std::string x_label;
  std::string y_label;
  std::vector<std::string> columns;  // names, left to right
  std::vector<std::string> rows;     // top to bottom
  std::vector<HeatPanel> panels;
};

// The whole file, UTF-8. Any text may stand in names and labels.
std::string svg_heat_map(const HeatMap& map);

}  // namespace lc

#include "report/svg/heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/number_text.h"
#include "report/svg/page.h"
#include "report/svg/plot_curve.h"

namespace lc {
namespace {

constexpr double kLabelWidth = 84;
constexpr double kTop = 92;
constexpr double kFieldWidth = 66;
constexpr double kFieldHeight = 34;
constexpr double kGap = 2;           // between fields
constexpr double kPanelHead = 26;    // name of a panel
constexpr double kPanelFoot = 34;    // names of its columns
constexpr double kLeastWidth = 560;  // room for the titles
constexpr double kDarkFrom = 0.55;   // shares from here on have pale numbers

using Colour = std::array<double, 3>;
constexpr std::array<Colour, 4> kScale = {
    {{238, 243, 248}, {158, 198, 228}, {61, 137, 190}, {8, 63, 118}}};

std::string css() {
  return ".number{font-size:12px;font-weight:600}\n"
         ".panel{font-size:13px;font-weight:600;fill:#1b1f24}\n"
         "@media (prefers-color-scheme:dark){\n"
         "  .panel{fill:#e6edf3}\n"
         "}\n";
}

std::string colour_of(double share) {
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(kScale.size() - 1);
  const auto below = std::min(static_cast<size_t>(place), kScale.size() - 2);
  const double rest = place - static_cast<double>(below);
  std::string colour = "rgb(";
  for (size_t i = 0; i < 3; ++i) {
    const double value = kScale[below][i] + rest * (kScale[below + 1][i] - kScale[below][i]);
    if (i > 0) colour += ',';
    colour += std::to_string(std::lround(value));
  }
  return colour + ")";
}

std::string field(double x, double y, double share) {
  const std::string number_colour = share < kDarkFrom ? "#1b1f24" : "#ffffff";
  return "<rect class=\"field\" x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" width=\"" +
         pixels(kFieldWidth - kGap) + "\" height=\"" + pixels(kFieldHeight - kGap) +
         "\" rx=\"3\" fill=\"" + colour_of(share) + "\"/>\n" +
         svg_text(x + (kFieldWidth - kGap) / 2, y + (kFieldHeight - kGap) / 2 + 4,
                  "class=\"number\" text-anchor=\"middle\" fill=\"" + number_colour + "\"",
                  decimal(100 * share, 0));
}

double panel_height(const HeatMap& map) {
  return kPanelHead + static_cast<double>(map.rows.size()) * kFieldHeight + kPanelFoot;
}

std::string draw_panel(const HeatMap& map, const HeatPanel& panel, double top) {
  std::string svg = svg_text(kLabelWidth, top + 12, "class=\"panel\"", panel.name);
  const double first = top + kPanelHead;
  for (size_t r = 0; r < map.rows.size(); ++r) {
    const double y = first + static_cast<double>(r) * kFieldHeight;
    svg += svg_text(kLabelWidth - 10, y + kFieldHeight / 2 + 3,
                    "class=\"tick\" text-anchor=\"end\"", map.rows[r]);
    for (size_t c = 0; c < map.columns.size(); ++c) {
      svg += field(kLabelWidth + static_cast<double>(c) * kFieldWidth, y, panel.rows.at(r).at(c));
    }
  }
  const double foot = first + static_cast<double>(map.rows.size()) * kFieldHeight + 14;
  for (size_t c = 0; c < map.columns.size(); ++c) {
    svg += svg_text(kLabelWidth + (static_cast<double>(c) + 0.5) * kFieldWidth - kGap / 2, foot,
                    "class=\"tick\" text-anchor=\"middle\"", map.columns[c]);
  }
  return svg;
}

}  // namespace

std::string svg_heat_map(const HeatMap& map) {
  double top = kTop;
  std::string body = svg_text(kPageMargin, top - 6, "class=\"label\"", map.y_label);
  top += 14;
  for (const HeatPanel& panel : map.panels) {
    body += draw_panel(map, panel, top);
    top += panel_height(map);
  }
  const double fields = static_cast<double>(map.columns.size()) * kFieldWidth;
  body += svg_text(kLabelWidth + fields / 2, top + 4, "class=\"label\" text-anchor=\"middle\"",
                   map.x_label);
  const double width = std::max(kLeastWidth, kLabelWidth + fields + kPageMargin);
  return svg_page({map.title, map.subtitle, width, top + 28}, css(), body);
}

}  // namespace lc

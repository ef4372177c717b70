#include "report/svg/plot_style.h"

#include "report/svg/page.h"
#include "report/svg/plot_curve.h"
#include "report/svg/plot_text.h"

namespace lc {
namespace {

constexpr double kLegendRow = 22;
constexpr double kLegendFontSize = 13;
constexpr size_t kNameCharacters = 60;

// Colours of Okabe and Ito, told apart by colour-blind readers too; a lighter set on dark ground.
constexpr std::array<const char*, kCurveStyles> kLight = {"#0072B2", "#D55E00", "#009E73",
                                                          "#B5578F", "#8A6D00", "#4A4A4A"};
constexpr std::array<const char*, kCurveStyles> kDark = {"#56B4E9", "#FF9D57", "#3DCCA0",
                                                         "#E8A0CB", "#F0E442", "#C8C8C8"};

std::string colour_rules(const std::array<const char*, kCurveStyles>& colours,
                         const std::string& indent) {
  std::string css;
  for (size_t i = 0; i < colours.size(); ++i) {
    const std::string name = ".c" + std::to_string(i);
    css += indent + name + "{fill:" + colours[i] + ";stroke:" + colours[i] + "}\n";
  }
  return css;
}

}  // namespace

std::string series_colours() {
  return colour_rules(kLight, "") + "@media (prefers-color-scheme:dark){\n" +
         colour_rules(kDark, "  ") + "}\n";
}

std::string curve_css() {
  return series_colours() +
         ".value{font-size:12px;font-weight:600;stroke:none}\n"
         ".band{fill-opacity:0.14;stroke:none}\n"
         ".line{fill:none;stroke-width:2.25;stroke-linejoin:round;stroke-linecap:round}\n"
         ".bar{fill:none;stroke-width:1.5}\n"
         ".marker{stroke:#ffffff;stroke-width:1.25}\n"
         "@media (prefers-color-scheme:dark){\n"
         "  .band{fill-opacity:0.22}\n"
         "  .marker{stroke:#0d1117}\n"
         "}\n";
}

std::string svg_line(const std::string& css_class, std::array<double, 4> from_to) {
  return "<line class=\"" + css_class + "\" x1=\"" + pixels(from_to[0]) + "\" y1=\"" +
         pixels(from_to[1]) + "\" x2=\"" + pixels(from_to[2]) + "\" y2=\"" + pixels(from_to[3]) +
         "\"/>\n";
}

SvgLegend svg_legend(const std::vector<std::string>& names, LegendPlace place) {
  SvgLegend legend;
  double x = kPageMargin;
  double y = place.top;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string name = shortened(names[i], kNameCharacters);
    const double width = 30 + text_width(name, kLegendFontSize) + 24;
    if (x > kPageMargin && x + width > place.width) {
      x = kPageMargin;
      y += kLegendRow;
    }
    legend.svg += svg_line("line " + curve_class(i), {x, y - 4.5, x + 24, y - 4.5});
    legend.svg += marker(i, {x + 12, y - 4.5}, "");
    legend.svg += svg_text(x + 31, y, "class=\"legend\"", name);
    x += width;
  }
  legend.height = names.empty() ? 0 : y - place.top + kLegendRow;
  return legend;
}

}  // namespace lc

#include "eval/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "eval/svg_page.h"
#include "eval/svg_plot_axes.h"
#include "eval/svg_plot_curve.h"
#include "eval/svg_plot_text.h"

namespace lc {
namespace {

constexpr double kWidth = 820;
constexpr double kPlotHeight = 330;
constexpr double kLeft = 64;
constexpr double kRight = 76;  // room for the last values
constexpr double kInset = 18;  // between the frame and the outermost points
constexpr double kLegendRow = 22;
constexpr double kLegendFontSize = 13;
constexpr double kLabelHeight = 15;
constexpr int kIntervals = 6;
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

std::string style() {
  return colour_rules(kLight, "") +
         ".value{font-size:12px;font-weight:600}\n"
         ".band{fill-opacity:0.14;stroke:none}\n"
         ".line{fill:none;stroke-width:2.25;stroke-linejoin:round;stroke-linecap:round}\n"
         ".bar{fill:none;stroke-width:1.5}\n"
         ".marker{stroke:#ffffff;stroke-width:1.25}\n"
         ".value{stroke:none}\n"
         "@media (prefers-color-scheme:dark){\n" +
         colour_rules(kDark, "  ") +
         "  .band{fill-opacity:0.22;stroke:none}\n"
         "  .line,.bar{fill:none}\n"
         "  .marker{stroke:#0d1117}\n"
         "  .value{stroke:none}\n"
         "}\n";
}

std::string line_at(const std::string& css_class, std::array<double, 4> from_to) {
  return "<line class=\"" + css_class + "\" x1=\"" + pixels(from_to[0]) + "\" y1=\"" +
         pixels(from_to[1]) + "\" x2=\"" + pixels(from_to[2]) + "\" y2=\"" + pixels(from_to[3]) +
         "\"/>\n";
}

// The names with their markers, in as many rows as they need.
struct Legend {
  std::string svg;
  double height = 0;
};

Legend draw_legend(const std::vector<PlotCurve>& curves, double top) {
  Legend legend;
  double x = kPageMargin;
  double y = top;
  for (size_t i = 0; i < curves.size(); ++i) {
    const std::string name = shortened(curves[i].name, kNameCharacters);
    const double width = 30 + text_width(name, kLegendFontSize) + 24;
    if (x > kPageMargin && x + width > kWidth) {
      x = kPageMargin;
      y += kLegendRow;
    }
    legend.svg += line_at("line " + curve_class(i), {x, y - 4.5, x + 24, y - 4.5});
    legend.svg += marker(i, {x + 12, y - 4.5}, "");
    legend.svg += svg_text(x + 31, y, "class=\"legend\"", name);
    x += width;
  }
  legend.height = curves.empty() ? 0 : y - top + kLegendRow;
  return legend;
}

std::string draw_axes(const Plot& plot, const PlotFrame& frame) {
  std::string svg = "<g aria-hidden=\"true\">\n";
  for (const Tick& tick : frame.loss.ticks()) {
    const double y = frame.bottom - frame.loss.at(tick.value) * frame.height;
    svg += line_at("grid", {frame.left, y, frame.left + frame.width, y});
    svg += svg_text(frame.left - 10, y + 4, "class=\"tick\" text-anchor=\"end\"", tick.label);
  }
  const double y = frame.bottom;
  svg += line_at("axis", {frame.left, y, frame.left + frame.width, y});
  for (const Tick& tick : frame.context.ticks(frame.width - 2 * kInset)) {
    const double x = frame.x(tick.value);
    svg += line_at("axis", {x, y, x, y + 5});
    svg += svg_text(x, y + 20, "class=\"tick\" text-anchor=\"middle\"", tick.label);
  }
  svg += svg_text(frame.left + frame.width / 2, y + 46, "class=\"label\" text-anchor=\"middle\"",
                  plot.x_label);
  svg += svg_text(kPageMargin, y - frame.height - 18, "class=\"label\"", plot.y_label);
  return svg + "</g>\n";
}

// The value of each curve's last point, to the right of it, moved apart where they would touch.
std::string draw_last_values(const std::vector<PlotCurve>& curves, const PlotFrame& frame) {
  struct Label {
    double y;
    size_t curve;
    PlotPoint point;
  };
  std::vector<Label> labels;
  for (size_t i = 0; i < curves.size(); ++i) {
    const auto last = std::find_if(curves[i].points.rbegin(), curves[i].points.rend(),
                                   [](const PlotPoint& point) { return std::isfinite(point.y); });
    if (last != curves[i].points.rend()) labels.push_back({frame.y(last->y), i, *last});
  }
  std::stable_sort(labels.begin(), labels.end(),
                   [](const Label& a, const Label& b) { return a.y < b.y; });
  for (size_t i = 1; i < labels.size(); ++i) {
    labels[i].y = std::max(labels[i].y, labels[i - 1].y + kLabelHeight);
  }
  double lowest = frame.bottom - 2;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
    label->y = std::min(label->y, lowest);
    lowest = label->y - kLabelHeight;
  }
  std::string svg;
  for (const Label& label : labels) {
    svg += svg_text(frame.x(label.point.x) + 12, label.y + 4,
                    "class=\"value " + curve_class(label.curve) + "\"", decimal(label.point.y, 3));
  }
  return svg;
}

PlotFrame make_frame(const std::vector<PlotCurve>& curves, double top) {
  std::vector<double> contexts;
  std::vector<double> losses;
  for (const PlotCurve& curve : curves) {
    for (const PlotPoint& point : curve.points) {
      if (!std::isfinite(point.y)) continue;
      contexts.push_back(point.x);
      losses.push_back(point.y);
      if (has_interval(point)) losses.insert(losses.end(), {point.low, point.high});
    }
  }
  PlotFrame frame{ContextScale(contexts), LossScale(losses, kIntervals)};
  frame.left = kLeft;
  frame.width = kWidth - kLeft - kRight;
  frame.height = kPlotHeight;
  frame.bottom = top + kPlotHeight;
  frame.inset = kInset;
  return frame;
}

}  // namespace

std::string svg_plot(const Plot& plot) {
  const Legend legend = draw_legend(plot.curves, 88);
  const PlotFrame frame = make_frame(plot.curves, 88 + legend.height + 22);
  std::string body = legend.svg + draw_axes(plot, frame);
  for (size_t i = 0; i < plot.curves.size(); ++i) body += draw_intervals(plot.curves[i], i, frame);
  for (size_t i = 0; i < plot.curves.size(); ++i) body += draw_line(plot.curves[i], i, frame);
  body += draw_last_values(plot.curves, frame);
  return svg_page({plot.title, plot.subtitle, kWidth, frame.bottom + 66}, style(), body);
}

}  // namespace lc

#include "report/svg/plot.h"

#include <algorithm>
#include <cmath>

#include "core/number_text.h"
#include "report/svg/page.h"
#include "report/svg/plot_axes.h"
#include "report/svg/plot_curve.h"
#include "report/svg/plot_style.h"

namespace lc {
namespace {

constexpr double kPlotHeight = 330;
constexpr double kLeft = 64;
constexpr double kRight = 76;  // room for the last values
constexpr double kInset = 18;  // between the frame and the outermost points
constexpr double kLabelHeight = 15;
constexpr int kIntervals = 6;

std::string draw_axes(const Plot& plot, const PlotFrame& frame) {
  std::string svg = "<g aria-hidden=\"true\">\n";
  for (const Tick& tick : frame.loss.ticks()) {
    const double y = frame.bottom - frame.loss.at(tick.value) * frame.height;
    svg += svg_line("grid", {frame.left, y, frame.left + frame.width, y});
    svg += svg_text(frame.left - 10, y + 4, "class=\"tick\" text-anchor=\"end\"", tick.label);
  }
  const double y = frame.bottom;
  svg += svg_line("axis", {frame.left, y, frame.left + frame.width, y});
  for (const Tick& tick : frame.context.ticks(frame.width - 2 * kInset)) {
    const double x = frame.x(tick.value);
    svg += svg_line("axis", {x, y, x, y + 5});
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

// Names of curves of which no point can be drawn.
std::vector<std::string> undrawn_curves(const std::vector<PlotCurve>& curves) {
  std::vector<std::string> names;
  for (const PlotCurve& curve : curves) {
    const bool drawn = std::any_of(curve.points.begin(), curve.points.end(),
                                   [](const PlotPoint& point) { return std::isfinite(point.y); });
    if (!drawn && !curve.points.empty()) names.push_back(curve.name);
  }
  return names;
}

PlotFrame make_frame(const Plot& plot, double top) {
  std::vector<double> contexts;
  std::vector<double> losses;
  for (const PlotCurve& curve : plot.curves) {
    for (const PlotPoint& point : curve.points) {
      if (!std::isfinite(point.y)) continue;
      contexts.push_back(point.x);
      losses.push_back(point.y);
      if (has_interval(point)) losses.insert(losses.end(), {point.low, point.high});
    }
  }
  PlotFrame frame{ContextScale(contexts, plot.axis), LossScale(losses, kIntervals)};
  frame.left = kLeft;
  frame.width = plot.width - kLeft - kRight;
  frame.height = kPlotHeight;
  frame.bottom = top + kPlotHeight;
  frame.inset = kInset;
  return frame;
}

}  // namespace

std::string svg_plot(const Plot& plot) {
  std::vector<std::string> names;
  for (const PlotCurve& curve : plot.curves) names.push_back(curve.name);
  const SvgLegend legend = svg_legend(names, {88, plot.width});
  const PlotFrame frame = make_frame(plot, 88 + legend.height + 22);
  std::string body = legend.svg + draw_axes(plot, frame);
  for (size_t i = 0; i < plot.curves.size(); ++i) body += draw_intervals(plot.curves[i], i, frame);
  for (size_t i = 0; i < plot.curves.size(); ++i) body += draw_line(plot.curves[i], i, frame);
  body += draw_last_values(plot.curves, frame);
  const std::string subtitle = subtitle_without(undrawn_curves(plot.curves), plot.subtitle);
  return svg_page({plot.title, subtitle, plot.width, frame.bottom + 66}, curve_css(), body);
}

}  // namespace lc

#include "report/svg/dot_plot.h"

#include <algorithm>
#include <cmath>

#include "core/number_text.h"
#include "report/svg/page.h"
#include "report/svg/plot_axes.h"
#include "report/svg/plot_curve.h"
#include "report/svg/plot_style.h"
#include "report/svg/plot_text.h"

namespace lc {
namespace {

constexpr double kDotsWidth = 820;
constexpr double kDotsRight = 40;
constexpr double kRowPadding = 14;
constexpr double kSeriesHeight = 11;  // of one run's mark in a row
constexpr double kTipHalf = 4;        // of the strokes at the ends of an interval
constexpr size_t kRowNameCharacters = 44;
constexpr double kRowNameFontSize = 12;
constexpr int kDotIntervals = 6;

struct DotFrame {
  LossScale scale;
  double left;
  double top;
  double row_height;

  double x(double value) const { return left + scale.at(value) * (kDotsWidth - left - kDotsRight); }
  double y(size_t row) const { return top + (static_cast<double>(row) + 0.5) * row_height; }
};

LossScale scale_of_dots(const std::vector<DotSeries>& series) {
  std::vector<double> values;
  for (const DotSeries& one : series) {
    for (const Dot& dot : one.dots) {
      if (!std::isfinite(dot.value)) continue;
      for (const double value : {dot.value, dot.low, dot.high}) {
        if (std::isfinite(value)) values.push_back(value);
      }
    }
  }
  return {values, kDotIntervals};
}

double widest_name(const std::vector<std::string>& rows) {
  double width = 0;
  for (const std::string& name : rows) {
    width = std::max(width, text_width(shortened(name, kRowNameCharacters), kRowNameFontSize));
  }
  return width;
}

std::string draw_dot_axis(const DotPlot& plot, const DotFrame& frame) {
  const double bottom = frame.top + static_cast<double>(plot.rows.size()) * frame.row_height;
  std::string svg = "<g aria-hidden=\"true\">\n";
  for (const Tick& tick : frame.scale.ticks()) {
    const double x = frame.x(tick.value);
    svg += svg_line("grid", {x, frame.top, x, bottom});
    svg += svg_text(x, bottom + 20, "class=\"tick\" text-anchor=\"middle\"", tick.label);
  }
  svg += svg_line("axis", {frame.left, bottom, kDotsWidth - kDotsRight, bottom});
  svg += svg_text((frame.left + kDotsWidth - kDotsRight) / 2, bottom + 44,
                  "class=\"label\" text-anchor=\"middle\"", plot.x_label);
  return svg + "</g>\n";
}

std::string draw_dot_interval(const Dot& dot, size_t series, double y, const DotFrame& frame) {
  if (!std::isfinite(dot.low) || !std::isfinite(dot.high)) return "";
  const std::string low = pixels(frame.x(dot.low));
  const std::string high = pixels(frame.x(dot.high));
  const std::string ends = pixels(y - kTipHalf) + " V" + pixels(y + kTipHalf);
  return "<path class=\"" + curve_class(series) + " bar\" d=\"M" + low + "," + ends + " M" + high +
         "," + ends + " M" + low + "," + pixels(y) + " H" + high + "\"/>\n";
}

std::string dot_tip(const std::string& row, const std::string& series, const Dot& dot) {
  std::string tip = row + ", " + series + ": " + decimal(dot.value, 4);
  if (std::isfinite(dot.low) && std::isfinite(dot.high)) {
    tip += " (" + decimal(dot.low, 4) + " to " + decimal(dot.high, 4) + ")";
  }
  return tip;
}

std::string draw_dots(const DotPlot& plot, const DotFrame& frame) {
  const double middle = static_cast<double>(plot.series.size() - 1) / 2;
  std::string svg;
  for (size_t r = 0; r < plot.rows.size(); ++r) {
    svg += svg_text(frame.left - 12, frame.y(r) + 4, "class=\"tick\" text-anchor=\"end\"",
                    shortened(plot.rows[r], kRowNameCharacters));
    for (size_t s = 0; s < plot.series.size(); ++s) {
      const Dot& dot = plot.series[s].dots.at(r);
      if (!std::isfinite(dot.value)) continue;
      const double y = frame.y(r) + (static_cast<double>(s) - middle) * kSeriesHeight;
      svg += draw_dot_interval(dot, s, y, frame);
      svg += marker(s, {frame.x(dot.value), y}, dot_tip(plot.rows[r], plot.series[s].name, dot));
    }
  }
  return svg;
}

// Runs of which nothing can be drawn; of the others "row", or "row of run" where there are several.
std::vector<std::string> lost_dots(const DotPlot& plot) {
  std::vector<std::string> names;
  for (const DotSeries& series : plot.series) {
    const auto& dots = series.dots;
    const bool drawn = std::any_of(dots.begin(), dots.end(),
                                   [](const Dot& dot) { return std::isfinite(dot.value); });
    const bool lost =
        std::any_of(dots.begin(), dots.end(), [](const Dot& dot) { return dot.lost; });
    if (!drawn && lost) names.push_back(series.name);
    for (size_t r = 0; r < dots.size() && drawn; ++r) {
      if (!dots[r].lost) continue;
      names.push_back(plot.rows.at(r) + (plot.series.size() > 1 ? " of " + series.name : ""));
    }
  }
  return names;
}

}  // namespace

std::string svg_dot_plot(const DotPlot& plot) {
  std::vector<std::string> names;
  for (const DotSeries& series : plot.series) names.push_back(series.name);
  const SvgLegend legend = svg_legend(names, {88, kDotsWidth});
  const DotFrame frame{scale_of_dots(plot.series), kPageMargin + widest_name(plot.rows) + 16,
                       88 + legend.height,
                       kRowPadding + kSeriesHeight * static_cast<double>(plot.series.size())};
  const std::string body = legend.svg + draw_dot_axis(plot, frame) + draw_dots(plot, frame);
  const double bottom = frame.top + static_cast<double>(plot.rows.size()) * frame.row_height;
  const std::string subtitle = subtitle_without(lost_dots(plot), plot.subtitle);
  return svg_page({plot.title, subtitle, kDotsWidth, bottom + 64}, curve_css(), body);
}

}  // namespace lc

#include "report/svg/bars.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "core/number_text.h"
#include "report/svg/page.h"
#include "report/svg/plot_axes.h"
#include "report/svg/plot_curve.h"
#include "report/svg/plot_style.h"
#include "report/svg/plot_text.h"

namespace lc {
namespace {

constexpr double kBarsWidth = 820;
constexpr double kBarsTop = 78;
constexpr double kColumnGap = 22;
constexpr double kTickWidth = 48;  // left of the bars
constexpr double kPanelTitle = 30;
constexpr double kWideHeight = 170;  // of the bars
constexpr double kThirdHeight = 88;
constexpr double kUnderBars = 44;  // labels and names
constexpr double kRowGap = 16;
constexpr double kGroupGap = 16;
constexpr double kWidestBar = 96;
constexpr double kRoomForNumber = 30;  // a bar this wide carries one
constexpr double kNameFont = 13;
constexpr size_t kBarsInThird = 8;

struct PanelFrame {
  BarScale scale;
  double left = 0;  // of the bars
  double width = 0;
  double top = 0;
  double height = 0;

  double y(double value) const { return top + height * (1 - scale.at(value)); }
};

std::string bars_css() {
  return series_colours() +
         ".bars{stroke:none}\n"
         ".amount{font-size:11px;font-weight:600;fill:#1b1f24}\n"
         ".panel{font-size:13px;font-weight:600;fill:#1b1f24}\n"
         "@media (prefers-color-scheme:dark){\n"
         "  .bars{stroke:none}\n"
         "  .panel,.amount{fill:#e6edf3}\n"
         "}\n";
}

double panel_width(PanelSize size) {
  const double whole = kBarsWidth - 2 * kPageMargin;
  return size == PanelSize::kWide ? whole : (whole - 2 * kColumnGap) / 3;
}

double bars_height(PanelSize size) { return size == PanelSize::kWide ? kWideHeight : kThirdHeight; }

size_t bar_count(const BarPanel& panel) {
  size_t count = 0;
  for (const BarGroup& group : panel.groups) count += group.values.size();
  return count;
}

std::vector<double> finite_values(const BarPanel& panel) {
  std::vector<double> values;
  for (const BarGroup& group : panel.groups) {
    std::copy_if(group.values.begin(), group.values.end(), std::back_inserter(values),
                 [](double value) { return std::isfinite(value); });
  }
  return values;
}

std::string draw_scale(const PanelFrame& frame) {
  std::string svg = "<g aria-hidden=\"true\">\n";
  for (const Tick& tick : frame.scale.ticks()) {
    const std::string y = pixels(frame.y(tick.value));
    svg += "<line class=\"" + std::string(tick.value == 0 ? "axis" : "grid") + "\" x1=\"" +
           pixels(frame.left) + "\" y1=\"" + y + "\" x2=\"" + pixels(frame.left + frame.width) +
           "\" y2=\"" + y + "\"/>\n";
    svg += svg_text(frame.left - 8, frame.y(tick.value) + 4, "class=\"tick\" text-anchor=\"end\"",
                    tick.label);
  }
  return svg + "</g>\n";
}

struct BarPlace {
  double x;
  double width;
  size_t colour;
};

std::string draw_bar(double value, const BarPlace& place, const PanelFrame& frame,
                     const std::string& tip) {
  const double top = std::min(frame.y(value), frame.y(0));
  const double height = std::abs(frame.y(value) - frame.y(0));
  return "<g><title>" + escape_xml(tip) + "</title><rect class=\"" + curve_class(place.colour) +
         " bars\" x=\"" + pixels(place.x) + "\" y=\"" + pixels(top) + "\" width=\"" +
         pixels(place.width) + "\" height=\"" + pixels(height) + "\" rx=\"2\"/></g>\n";
}

// Labels of the first and last bar.
std::string draw_group_labels(const BarGroup& group, double left, double width, double bottom) {
  const double font = 12;
  std::string svg;
  if (group.values.size() == 1 || group.last.empty()) {
    svg += svg_text(left + width / 2, bottom + 16, "class=\"tick\" text-anchor=\"middle\"",
                    group.first);
  } else if (text_width(group.first, font) + text_width(group.last, font) + 8 < width) {
    svg += svg_text(left, bottom + 16, "class=\"tick\" text-anchor=\"start\"", group.first);
    svg += svg_text(left + width, bottom + 16, "class=\"tick\" text-anchor=\"end\"", group.last);
  }
  return svg;
}

// Whether every name has room under its group; a wide panel lets names be wider than their bars.
bool names_fit(const BarPanel& panel, double pitch) {
  if (panel.size == PanelSize::kWide) return true;
  return std::all_of(panel.groups.begin(), panel.groups.end(), [&](const BarGroup& group) {
    const double room = pitch * static_cast<double>(group.values.size()) + kGroupGap;
    return text_width(group.name, kNameFont) < room;
  });
}

std::string draw_bars(const BarPanel& panel, const PanelFrame& frame) {
  const size_t bars = std::max<size_t>(bar_count(panel), 1);
  const double gaps = kGroupGap * static_cast<double>(panel.groups.size());
  const double pitch = std::min((frame.width - gaps) / static_cast<double>(bars), kWidestBar);
  const double width = std::max(pitch * 0.82, 1.0);
  const bool named = names_fit(panel, pitch);
  std::string svg;
  double x = frame.left + kGroupGap / 2;
  for (const BarGroup& group : panel.groups) {
    const double left = x;
    for (size_t i = 0; i < group.values.size(); ++i, x += pitch) {
      const double value = group.values[i];
      if (!std::isfinite(value)) continue;
      const std::string number = bar_amount(value);
      svg += draw_bar(value, {x + (pitch - width) / 2, width, group.colour}, frame,
                      group.name + " " + std::to_string(i) + ": " + number);
      if (pitch < kRoomForNumber) continue;
      svg += svg_text(x + pitch / 2, std::min(frame.y(value), frame.y(0)) - 5,
                      "class=\"amount\" text-anchor=\"middle\"", number);
    }
    const double bottom = frame.top + frame.height;
    svg += draw_group_labels(group, left, x - left, bottom);
    if (named) {
      svg += svg_text((left + x) / 2, bottom + 34, "class=\"label\" text-anchor=\"middle\"",
                      group.name);
    }
    x += kGroupGap;
  }
  return svg;
}

// Values of all panels on the same scale.
std::map<std::string, std::vector<double>> shared_values(const BarChart& chart) {
  std::map<std::string, std::vector<double>> values;
  for (const BarPanel& panel : chart.panels) {
    const std::vector<double> own = finite_values(panel);
    auto& all = values[panel.scale];
    all.insert(all.end(), own.begin(), own.end());
  }
  return values;
}

}  // namespace

PanelSize size_for(size_t bars) {
  return bars <= kBarsInThird ? PanelSize::kThird : PanelSize::kWide;
}

std::string bar_amount(double value) {
  const double size = std::abs(value);
  if (size == 0 || size >= 100) return decimal(value, 0);
  const auto digits = static_cast<int>(std::floor(std::log10(size)));
  return decimal(value, std::clamp(2 - digits, 1, 12));
}

std::string svg_bars(const BarChart& chart) {
  const auto shared = shared_values(chart);
  std::string body;
  double x = kPageMargin;
  double y = kBarsTop;
  double row_end = kBarsTop;
  for (const BarPanel& panel : chart.panels) {
    const double width = panel_width(panel.size);
    if (x > kPageMargin && x + width > kBarsWidth - kPageMargin + 1) {
      x = kPageMargin;
      y = row_end + kRowGap;
    }
    const bool wide = panel.size == PanelSize::kWide;
    const std::vector<double> values =
        panel.scale.empty() ? finite_values(panel) : shared.at(panel.scale);
    PanelFrame frame{BarScale(values, wide ? 4 : 3)};
    frame.left = x + kTickWidth;
    frame.width = width - kTickWidth;
    frame.top = y + kPanelTitle;
    frame.height = bars_height(panel.size);
    body += svg_text(x, y + 12, "class=\"panel\"",
                     shortened(panel.title, static_cast<size_t>(width / 6.4)));
    body += draw_scale(frame) + draw_bars(panel, frame);
    row_end = std::max(row_end, frame.top + frame.height + kUnderBars);
    x += width + kColumnGap;
  }
  return svg_page({chart.title, chart.subtitle, kBarsWidth, row_end + 16}, bars_css(), body);
}

}  // namespace lc

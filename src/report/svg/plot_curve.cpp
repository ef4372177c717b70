#include "report/svg/plot_curve.h"

#include <cmath>

#include "core/number_text.h"
#include "report/svg/plot_text.h"

namespace lc {
namespace {

constexpr size_t kMostMarkers = 40;  // on one curve

// Stretches of neighbouring points that all satisfy a condition.
template <typename Condition>
std::vector<std::vector<PlotPoint>> stretches(const PlotCurve& curve, Condition holds) {
  std::vector<std::vector<PlotPoint>> result;
  bool open = false;
  for (const PlotPoint& point : curve.points) {
    if (!holds(point)) {
      open = false;
      continue;
    }
    if (!open) result.emplace_back();
    open = true;
    result.back().push_back(point);
  }
  return result;
}

std::string pair_of(PixelPoint at) { return pixels(at.x) + "," + pixels(at.y); }

std::string point_list(const std::vector<PixelPoint>& points) {
  std::string list;
  for (const PixelPoint& point : points) {
    if (!list.empty()) list += ' ';
    list += pair_of(point);
  }
  return list;
}

std::string polygon(const std::string& css_class, const std::vector<PixelPoint>& corners) {
  std::string svg = "<polygon class=\"" + css_class + "\" points=\"";
  svg += point_list(corners);
  return svg + "\"/>\n";
}

std::string point_tip(const PlotCurve& curve, const PlotPoint& point) {
  std::string tip = curve.name + ", " + decimal(point.x, 0) + ": " + decimal(point.y, 4);
  if (has_interval(point)) {
    tip += " (" + decimal(point.low, 4) + " to " + decimal(point.high, 4) + ")";
  }
  return tip;
}

std::string bar(const PlotPoint& point, size_t index, const PlotFrame& frame) {
  const double x = frame.x(point.x);
  const std::string low = pixels(frame.y(point.low));
  const std::string high = pixels(frame.y(point.high));
  const std::string left = pixels(x - 5);
  const std::string right = pixels(x + 5);
  return "<path class=\"" + curve_class(index) + " bar\" d=\"M" + left + "," + low + " H" + right +
         " M" + left + "," + high + " H" + right + " M" + pixels(x) + "," + low + " V" + high +
         "\"/>\n";
}

}  // namespace

std::string pixels(double value) { return decimal(value, 2); }

std::string curve_class(size_t curve) {
  return std::string("c").append(std::to_string(curve % kCurveStyles));
}

bool has_interval(const PlotPoint& point) {
  return std::isfinite(point.y) && std::isfinite(point.low) && std::isfinite(point.high);
}

std::string marker(size_t curve, PixelPoint at, const std::string& tip) {
  std::string group = "<g>";
  if (!tip.empty()) group += "<title>" + escape_xml(tip) + "</title>";
  const std::string css_class = curve_class(curve) + " marker";
  const double x = at.x;
  const double y = at.y;
  switch (curve % 4) {
    case 0:
      group += "<circle class=\"" + css_class + "\" cx=\"" + pixels(x) + "\" cy=\"" + pixels(y) +
               "\" r=\"4.5\"/>\n";
      break;
    case 1:
      group += polygon(css_class, {{x - 4, y - 4}, {x + 4, y - 4}, {x + 4, y + 4}, {x - 4, y + 4}});
      break;
    case 2:
      group += polygon(css_class, {{x, y - 5.5}, {x + 5.5, y}, {x, y + 5.5}, {x - 5.5, y}});
      break;
    default:
      group += polygon(css_class, {{x, y - 5.5}, {x + 5.2, y + 4}, {x - 5.2, y + 4}});
  }
  return group + "</g>\n";
}

std::string draw_line(const PlotCurve& curve, size_t index, const PlotFrame& frame) {
  std::string lines;
  std::string marks;
  const auto drawn = [](const PlotPoint& point) { return std::isfinite(point.y); };
  for (const auto& stretch : stretches(curve, drawn)) {
    std::vector<PixelPoint> corners;
    for (const PlotPoint& point : stretch) {
      corners.push_back({frame.x(point.x), frame.y(point.y)});
      if (curve.points.size() > kMostMarkers) continue;
      marks += marker(index, corners.back(), point_tip(curve, point));
    }
    if (stretch.size() > 1) {
      lines += "<polyline class=\"" + curve_class(index) + " line\" points=\"" +
               point_list(corners) + "\"/>\n";
    }
  }
  return lines + marks;
}

std::string draw_intervals(const PlotCurve& curve, size_t index, const PlotFrame& frame) {
  std::string svg;
  for (const auto& stretch : stretches(curve, has_interval)) {
    if (stretch.size() == 1) {
      svg += bar(stretch.front(), index, frame);
      continue;
    }
    std::vector<PixelPoint> corners;
    for (const PlotPoint& point : stretch)
      corners.push_back({frame.x(point.x), frame.y(point.high)});
    for (auto point = stretch.rbegin(); point != stretch.rend(); ++point) {
      corners.push_back({frame.x(point->x), frame.y(point->low)});
    }
    svg += polygon(curve_class(index) + " band", corners);
  }
  return svg;
}

}  // namespace lc

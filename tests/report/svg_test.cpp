// The SVG plot: well-formed, complete, and drawn where the numbers say.
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "report/svg/plot.h"
#include "report/svg/plot_axes.h"
#include "report/svg/plot_text.h"
#include "report/svg_elements.h"

namespace lc {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using svg::Element;
using svg::of_class;
using svg::parse;

std::vector<std::pair<double, double>> points_of(const Element& element) {
  std::vector<std::pair<double, double>> result;
  std::istringstream stream(element.attributes.at("points"));
  char comma = 0;
  for (double x = 0, y = 0; stream >> x >> comma >> y;) result.emplace_back(x, y);
  REQUIRE(stream.eof());
  return result;
}

Plot example() {
  return {
      "Loss",
      "test split",
      "context (tokens)",
      "bits per byte",
      {{"a",
        {{0, 4.0, 3.9, 4.1}, {64, 3.0, 2.8, 3.2}, {128, 2.5, 2.4, 2.6}, {256, 2.25, 2.2, 2.3}}}}};
}

}  // namespace

TEST_CASE("a curve is drawn where its numbers are") {
  const auto elements = parse(svg_plot(example()));
  const auto lines = of_class(elements, "polyline", "line");
  REQUIRE(lines.size() == 1);
  const auto points = points_of(lines[0]);
  REQUIRE(points.size() == 4);
  // 0, 64, 128, 256 are one doubling apart, 0 included: equal steps to the right.
  CHECK(points[1].first - points[0].first ==
        Approx(points[2].first - points[1].first).margin(0.02));
  CHECK(points[2].first - points[1].first ==
        Approx(points[3].first - points[2].first).margin(0.02));
  // Downwards on the page in proportion to the loss.
  const double pixels_per_bit = (points[1].second - points[0].second) / 1.0;
  CHECK(pixels_per_bit > 0);
  CHECK(points[3].second - points[0].second == Approx(1.75 * pixels_per_bit).margin(0.05));
  // Tick labels agree with the line's own scale.
  const auto ticks = of_class(elements, "text", "tick");
  int found = 0;
  for (const Element& tick : ticks) {
    if (tick.attributes.at("text-anchor") != "end") continue;
    const double y = std::stod(tick.attributes.at("y")) - 4;
    const double expected = points[0].second + (4.0 - std::stod(tick.text)) * pixels_per_bit;
    CHECK(y == Approx(expected).margin(0.1));
    ++found;
  }
  CHECK(found >= 3);
}

TEST_CASE("intervals are bands through their bounds") {
  const auto elements = parse(svg_plot(example()));
  const auto bands = of_class(elements, "polygon", "band");
  REQUIRE(bands.size() == 1);
  const auto corners = points_of(bands[0]);
  const auto line = points_of(of_class(elements, "polyline", "line").at(0));
  REQUIRE(corners.size() == 8);
  const double pixels_per_bit = line[1].second - line[0].second;
  const std::vector<PlotPoint> points = example().curves[0].points;
  for (size_t i = 0; i < 4; ++i) {
    CHECK(corners[i].first == line[i].first);
    CHECK(corners[7 - i].first == line[i].first);
    const double above = (points[i].high - points[i].y) * pixels_per_bit;
    const double below = (points[i].y - points[i].low) * pixels_per_bit;
    CHECK(line[i].second - corners[i].second == Approx(above).margin(0.05));
    CHECK(corners[7 - i].second - line[i].second == Approx(below).margin(0.05));
  }
}

TEST_CASE("a point that stands alone has a bar, and one without interval none") {
  Plot plot = example();
  plot.curves[0].points.resize(1);
  auto elements = parse(svg_plot(plot));
  CHECK(of_class(elements, "path", "bar").size() == 1);
  CHECK(of_class(elements, "polyline", "line").empty());
  CHECK(of_class(elements, "circle", "c0").size() == 2);  // legend and point
  plot.curves[0].points[0].high = kNone;
  elements = parse(svg_plot(plot));
  CHECK(of_class(elements, "path", "bar").empty());
}

TEST_CASE("values that are not finite break the line and leave no trace") {
  Plot plot = example();
  plot.curves[0].points.insert(plot.curves[0].points.begin() + 2, {96, kNone});
  plot.curves[0].points.push_back({512, std::numeric_limits<double>::infinity(), 1, 2});
  const std::string svg = svg_plot(plot);
  const auto lines = of_class(parse(svg), "polyline", "line");
  REQUIRE(lines.size() == 2);
  CHECK(points_of(lines[0]).size() == 2);
  CHECK(points_of(lines[1]).size() == 2);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
}

TEST_CASE("names and labels are escaped, whatever bytes they hold") {
  Plot plot = example();
  plot.title = "a < b & \"c\" > d";
  plot.curves[0].name = std::string("runs/<xl>&\x01\xFF\xC3\xA4");
  const auto elements = parse(svg_plot(plot));
  CHECK(of_class(elements, "text", "title").at(0).text == plot.title);
  CHECK(of_class(elements, "text", "legend").at(0).text ==
        "runs/<xl>&\xEF\xBF\xBD\xEF\xBF\xBD\xC3\xA4");
}

TEST_CASE("a long name is cut at a character, an empty plot is still a file") {
  CHECK(shortened("\xC3\xA4\xC3\xB6\xC3\xBC", 3) == "\xC3\xA4\xC3\xB6\xC3\xBC");
  CHECK(shortened("\xC3\xA4\xC3\xB6\xC3\xBC", 2) == "\xC3\xA4\xE2\x80\xA6");
  CHECK(escape_xml("\xED\xA0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // a surrogate
  CHECK(escape_xml("\xC0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD");                  // overlong
  CHECK(escape_xml("\xF0\x9F\x93\x88") == "\xF0\x9F\x93\x88");
  Plot plot;
  CHECK(of_class(parse(svg_plot(plot)), "polyline", "line").empty());
}

TEST_CASE("many curves keep their colours apart and their last values off each other") {
  Plot plot = example();
  for (int i = 1; i < 6; ++i) {
    plot.curves.push_back(plot.curves[0]);
    plot.curves.back().name = "run " + std::to_string(i);
    for (PlotPoint& point : plot.curves.back().points) point.y += 0.001 * i;
  }
  const auto elements = parse(svg_plot(plot));
  for (int i = 0; i < 6; ++i) {
    CHECK(of_class(elements, "polyline", "c" + std::to_string(i)).size() == 1);
  }
  const auto values = of_class(elements, "text", "value");
  REQUIRE(values.size() == 6);
  for (size_t i = 1; i < values.size(); ++i) {
    const double gap =
        std::stod(values[i].attributes.at("y")) - std::stod(values[i - 1].attributes.at("y"));
    CHECK(gap >= 14.9);
  }
}

TEST_CASE("the context scale increases and its labels never touch") {
  std::vector<double> contexts;
  for (double c = 0; c <= 5000; c += 37) contexts.push_back(c);
  const ContextScale scale(contexts);
  CHECK(scale.at(0) == 0.0);
  CHECK(scale.at(contexts.back()) == 1.0);
  for (size_t i = 1; i < contexts.size(); ++i) {
    CHECK(scale.at(contexts[i]) > scale.at(contexts[i - 1]));
  }
  const auto ticks = scale.ticks(600);
  CHECK(ticks.front().label == "0");
  CHECK(ticks.back().label == "4,995");
  for (size_t i = 1; i < ticks.size(); ++i) {
    const double gap = (scale.at(ticks[i].value) - scale.at(ticks[i - 1].value)) * 600;
    const double half = text_width(ticks[i].label, 12) / 2 + text_width(ticks[i - 1].label, 12) / 2;
    CHECK(gap > half);
  }
}

TEST_CASE("the loss scale covers its values with round numbers, one value alone too") {
  const LossScale scale({2.17, 4.31}, 6);
  CHECK(scale.at(2.17) > 0);
  CHECK(scale.at(4.31) < 1);
  CHECK(scale.ticks().front().label == "2.0");
  CHECK(scale.ticks().back().label == "4.5");
  const LossScale one({3.0}, 6);
  CHECK(one.at(3.0) > 0.2);
  CHECK(one.at(3.0) < 0.8);
  const LossScale tiny({1e-9}, 6);
  CHECK(std::isfinite(tiny.at(1e-9)));
}

}  // namespace lc

// Bars: as high as their numbers, on one scale where they should be.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "catch.h"
#include "report/svg/bars.h"
#include "report/svg/plot.h"
#include "report/svg/plot_axes.h"
#include "report/svg_elements.h"

namespace lc {
namespace {

std::vector<double> heights(const std::vector<svg::Element>& elements) {
  std::vector<double> result;
  for (const svg::Element& bar : svg::of_class(elements, "rect", "bars")) {
    result.push_back(std::stod(bar.attributes.at("height")));
  }
  return result;
}

BarChart two_panels(const std::string& scale) {
  return {"title",
          "subtitle",
          {{"small", PanelSize::kThird, scale, {{"a", "0", "2", {1, 2, 4}}}},
           {"large", PanelSize::kThird, scale, {{"a", "0", "1", {8, 40}}, {"b", "x", "", {20}}}}}};
}

}  // namespace

TEST_CASE("the number of a bar has about three digits") {
  CHECK(bar_amount(0) == "0");
  CHECK(bar_amount(0.62246) == "0.622");
  CHECK(bar_amount(6.1422e-06) == "0.00000614");
  CHECK(bar_amount(12345.6) == "12346");
}

TEST_CASE("bars are as high as their numbers") {
  const auto own = heights(svg::parse(svg_bars(two_panels(""))));
  REQUIRE(own.size() == 6);
  CHECK(own[1] == Approx(2 * own[0]).margin(0.02));
  CHECK(own[2] == Approx(4 * own[0]).margin(0.03));
  CHECK(own[4] == Approx(5 * own[3]).margin(0.05));
  CHECK(own[2] == Approx(own[4]).margin(0.02));  // each fills its panel
  const auto shared = heights(svg::parse(svg_bars(two_panels("both"))));
  CHECK(shared[4] == Approx(10 * shared[2]).margin(0.1));
  CHECK(shared[5] == Approx(5 * shared[2]).margin(0.1));
}

TEST_CASE("bars below zero hang from it, and values that are not finite leave no trace") {
  BarChart chart{"t", "s", {{"p", PanelSize::kWide, "", {{"g", "0", "3", {2, -2, 1, 0}}}}}};
  chart.panels[0].groups[0].values.push_back(std::numeric_limits<double>::quiet_NaN());
  chart.panels[0].groups[0].values.push_back(std::numeric_limits<double>::infinity());
  const auto elements = svg::parse(svg_bars(chart));
  const auto bars = svg::of_class(elements, "rect", "bars");
  REQUIRE(bars.size() == 4);
  const auto number = [&](size_t bar, const char* key) {
    return std::stod(bars[bar].attributes.at(key));
  };
  const double zero = number(0, "y") + number(0, "height");
  CHECK(number(1, "y") == Approx(zero).margin(0.02));
  CHECK(number(1, "height") == Approx(number(0, "height")).margin(0.02));
  CHECK(number(3, "height") == 0.0);
}

TEST_CASE("panels stay on the page and below one another, whatever their names") {
  BarChart chart{"<b>&\"", "sub", {}};
  for (int i = 0; i < 7; ++i) {
    chart.panels.push_back({"layer <" + std::to_string(i) + ">", PanelSize::kThird, "", {}});
    chart.panels.back().groups.push_back({"g&", "0", "29", std::vector<double>(30, 0.25)});
  }
  const auto elements = svg::parse(svg_bars(chart));
  const double width = std::stod(elements.front().attributes.at("width"));
  const double height = std::stod(elements.front().attributes.at("height"));
  double lowest = 0;
  for (const svg::Element& bar : svg::of_class(elements, "rect", "bars")) {
    const double x = std::stod(bar.attributes.at("x"));
    CHECK((x > 0 && x + std::stod(bar.attributes.at("width")) < width));
    lowest = std::max(lowest, std::stod(bar.attributes.at("y")));
  }
  CHECK(lowest < height);
  CHECK(svg::of_class(elements, "text", "panel").size() == 7);
  CHECK(svg::of_class(svg::parse(svg_bars({"empty", "", {}})), "rect", "bars").empty());
}

TEST_CASE("the scale of bars begins at zero and ends at a round number that holds them") {
  const BarScale scale({0.3, 0.7}, 4);
  CHECK(scale.ticks().front().value == 0.0);
  CHECK(scale.at(0) == 0.0);
  CHECK(scale.at(0.7) <= 1.0);
  CHECK(scale.ticks().size() == 5);
  CHECK(scale.ticks().back().label == "0.8");
  CHECK(BarScale({}, 4).at(0) == 0.0);
  CHECK(BarScale({0, 0}, 4).ticks().back().value == 1.0);
  CHECK(BarScale({5e-5}, 4).ticks().back().label == "0.00006");
  CHECK(BarScale({-1, 1}, 4).at(0) == Approx(0.5));
}

TEST_CASE("a linear axis begins at zero, has round ticks and short labels") {
  const ContextScale scale({102400, 4096000}, HorizontalAxis::kLinear);
  CHECK(scale.at(0) == 0.0);
  CHECK(scale.at(4096000) == 1.0);
  CHECK(scale.at(1024000) == Approx(0.25));
  const auto ticks = scale.ticks(500);
  REQUIRE(ticks.size() == 5);
  CHECK(ticks[1].label == "1M");
  CHECK(ticks[1].value == 1e6);
  const auto halves = ContextScale({2.2e6}, HorizontalAxis::kLinear).ticks(500);
  CHECK(halves[1].label == "0.5M");
  const ContextScale alone({0}, HorizontalAxis::kLinear);
  CHECK(alone.ticks(500).size() == 1);
}

TEST_CASE("a curve of many points has its marker in the legend alone") {
  Plot plot{"t", "s", "x", "y", {{"a", {}}}};
  plot.axis = HorizontalAxis::kLinear;
  plot.width = 560;
  for (int i = 0; i < 100; ++i) plot.curves[0].points.push_back({10.0 * i, 1.0 / (1 + i)});
  const auto elements = svg::parse(svg_plot(plot));
  CHECK(svg::of_class(elements, "circle", "marker").size() == 1);
  CHECK(svg::of_class(elements, "polyline", "line").size() == 1);
  CHECK(elements.front().attributes.at("width") == "560.00");
}

}  // namespace lc

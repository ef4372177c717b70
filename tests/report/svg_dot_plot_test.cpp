// The dot plot: marks and intervals where the numbers say.
#include <cmath>

#include "catch.h"
#include "report/svg/dot_plot.h"
#include "report/svg_elements.h"

namespace {

using lc::DotPlot;
using svg::of_class;
using svg::parse;

double number(const svg::Element& element, const char* key) {
  return std::stod(element.attributes.at(key));
}

DotPlot plot_of_two() {
  DotPlot plot;
  plot.title = "Loss by <kind>";
  plot.subtitle = "test split";
  plot.x_label = "nats per token";
  plot.rows = {"one", "two & more", "three"};
  plot.series = {{"a", {{1.0, 0.5, 1.5}, {2.0}, {}}}, {"b", {{3.0, 2.5, 3.5}, {4.0}, {2.0}}}};
  return plot;
}

TEST_CASE("Marks lie in proportion to their values, rows below one another") {
  const auto elements = parse(svg_dot_plot(plot_of_two()));
  const auto circles = of_class(elements, "circle", "marker");
  REQUIRE(circles.size() == 3);  // one of the legend, two of the first run
  const double one = number(circles[1], "cx");
  const double two = number(circles[2], "cx");
  CHECK(two > one);
  CHECK(number(circles[2], "cy") > number(circles[1], "cy"));
  // Ticks stand on the same scale.
  int found = 0;
  for (const auto& tick : of_class(elements, "text", "tick")) {
    if (tick.attributes.at("text-anchor") != "middle") continue;
    CHECK(number(tick, "x") == Approx(one + (std::stod(tick.text) - 1) * (two - one)).margin(0.1));
    ++found;
  }
  CHECK(found >= 4);
}

TEST_CASE("Intervals are bars from their low to their high end") {
  const auto elements = parse(svg_dot_plot(plot_of_two()));
  const auto bars = of_class(elements, "path", "bar");
  REQUIRE(bars.size() == 2);
  const auto circles = of_class(elements, "circle", "marker");
  const double one = number(circles[1], "cx");
  const double nat = number(circles[2], "cx") - one;
  const std::string& path = bars[0].attributes.at("d");
  CHECK(std::stod(path.substr(1)) == Approx(one - 0.5 * nat).margin(0.1));
  CHECK(std::stod(path.substr(path.rfind('H') + 1)) == Approx(one + 0.5 * nat).margin(0.1));
}

TEST_CASE("A value that isn't there leaves its place empty; names stand for themselves") {
  DotPlot plot = plot_of_two();
  plot.series.pop_back();
  const auto elements = parse(svg_dot_plot(plot));
  CHECK(of_class(elements, "circle", "marker").size() == 3);
  int rows = 0;
  for (const auto& text : of_class(elements, "text", "tick")) {
    rows += text.text == "one" || text.text == "two & more" || text.text == "three" ? 1 : 0;
  }
  CHECK(rows == 3);
}

TEST_CASE("What was measured and is not finite is named, what was not measured is not") {
  const auto subtitle = [](const DotPlot& plot) {
    return of_class(parse(svg_dot_plot(plot)), "text", "subtitle").at(0).text;
  };
  DotPlot plot = plot_of_two();
  CHECK(subtitle(plot) == "test split");
  plot.series[0].dots[2].lost = true;
  CHECK(subtitle(plot) == "not finite: three of a; test split");
  plot.series[1].dots.assign(3, lc::Dot{});
  plot.series[1].dots[0].lost = true;
  CHECK(subtitle(plot) == "not finite: three of a, b; test split");
  plot.series.pop_back();
  CHECK(subtitle(plot) == "not finite: three; test split");
}

TEST_CASE("Nothing to draw is a plot as well") {
  DotPlot plot;
  plot.title = "empty";
  plot.rows = {"one"};
  plot.series = {{"a", {{}}}};
  CHECK(of_class(parse(svg_dot_plot(plot)), "circle", "marker").size() == 1);
}

}  // namespace

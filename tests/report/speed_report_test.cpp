// The speed of evaluation as people and programs read it.
#include "report/speed_report.h"

#include <string>

#include "catch.h"
#include "report/svg_elements.h"

namespace lc {

TEST_CASE("speed as table, CSV, JSON and plot") {
  SpeedTest test;
  test.points = {{100, 250, {0.001, 0.0011, 1, 2.5, 256, 1}, {0.04, 0.055, 101, 2.75, 250, 8}},
                 {1000, 250, {0.002, 0.0025, 1, 2.25, 256, 1}, {1, 1.25, 1001, 2.5, 250, 8}}};
  test.protocol = {{"evaluation", "memory"}, {"repetitions", 5}, {"threads", 1}, {"segment", 64}};
  CHECK(speed_table(test).find("  1,000         2.000  1000.000         500.0          500.0     "
                               "1001.0          2.2500   2.5000\n") != std::string::npos);
  CHECK(speed_csv(test).find(
            "\n100,250,0.001,0.0011,1,2.5,256,1,0.04,0.055,101,2.75,250,8,40,50,101\n") !=
        std::string::npos);
  const nlohmann::json json = test.to_json();
  CHECK(json.at("speed")[0].at("theory_ratio") == 101);
  CHECK(json.at("speed")[1].at("sliding").at("cpu_seconds_per_token") == 1);
  const Plot plot = speed_plot(test, "a <run>");
  CHECK(plot.curves[0].points[1].y == 500);
  CHECK(plot.curves[1].points[1].y == 1001);
  const auto elements = svg::parse(svg_plot(plot));
  CHECK(svg::of_class(elements, "polyline", "line").size() == 2);
}

}  // namespace lc

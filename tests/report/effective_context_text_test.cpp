// Effective context lengths as tables, CSV, JSON and plots.
#include "report/effective_context_text.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "catch.h"
#include "report/svg_elements.h"

namespace lc {
namespace {

// Two runs in two groups; perplexity by context, on ten targets.
EffectiveContextReport example_report() {
  EffectiveContextRequest request;
  request.step = 500;
  request.longest = 1500;
  request.shares = {0.5, 0.1};
  std::vector<MeasuredContexts> runs;
  for (const auto& [name, parameters, last] :
       {std::tuple{"xl", 12345, 15.0}, std::tuple{"<flat>", 30000, 18.0}}) {
    MeasuredContexts run;
    run.losses = {name, parameters, {}};
    for (const double perplexity : {20.0, 18.0, last}) {
      run.losses.nll.emplace_back(10, std::log(perplexity));
    }
    for (int64_t t = 0; t < 10; ++t) run.targets.push_back(1500 + t);
    run.protocol = {{"type", "some"}};
    runs.push_back(std::move(run));
  }
  return effective_context_report(request, {{"one", {"xl"}}, {"two", {"<flat>", "xl"}}}, runs);
}

}  // namespace

TEST_CASE("effective contexts as a table: a column a share, open ends marked") {
  const std::string table = effective_context_table(example_report());
  CHECK(table.find("group  run     parameters  r = 0.5  r = 0.1\n") != std::string::npos);
  CHECK(table.find("one    xl          12,345   1,500+   1,500+\n") != std::string::npos);
  CHECK(table.find("two    <flat>      30,000    1,000    1,000\n") != std::string::npos);
  CHECK(table.find("--longest") != std::string::npos);
}

TEST_CASE("effective contexts as JSON and CSV hold every step") {
  const EffectiveContextReport report = example_report();
  const nlohmann::json json = report.to_json();
  REQUIRE(json.at("groups").size() == 2);
  const nlohmann::json& flat = json.at("groups")[1].at("runs")[0];
  CHECK(flat.at("name") == "<flat>");
  CHECK(flat.at("lengths")[0].at("effective_context") == 1000);
  CHECK(flat.at("lengths")[0].at("targets") == 5);
  CHECK(flat.at("lengths")[0].at("gains")[0].at("gain").get<double>() == Approx(0.1));
  CHECK(json.at("protocol").at("mode") == "strict");
  CHECK(json.at("protocol").at("targets") == 10);
  CHECK(json.at("protocol").at("groups").at("one").at("similar_size") == true);
  CHECK(json.at("protocol").at("groups").at("two").at("similar_size") == false);
  const std::string csv = effective_context_csv(report);
  CHECK(csv.rfind("group,run,parameters,share,targets,effective_context,at_least,context,longer,"
                  "gain\none,xl,12345,0.5,5,1500,true,500,1000,0.",
                  0) == 0);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 3 * 2 * 2);
}

TEST_CASE("the plot of gains shows the hardest share, and what counts") {
  const Plot plot = effective_context_plot(example_report());
  REQUIRE(plot.curves.size() == 4);
  CHECK(plot.curves[1].name == "two: <flat>");
  CHECK(plot.curves[1].points[0].x == 500);
  CHECK(plot.curves[1].points[0].y == Approx(10));
  CHECK(plot.curves[1].points[1].y == Approx(0).margin(1e-12));
  CHECK(plot.curves[3].points[0].y == Approx(1));
  CHECK(plot.subtitle.find("r = 0.1") != std::string::npos);
  const auto elements = svg::parse(svg_plot(plot));
  CHECK(svg::of_class(elements, "polyline", "line").size() == 4);
}

}  // namespace lc

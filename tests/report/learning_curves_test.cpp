// Learning curves: what stands in metrics.jsonl, at the tokens where it was.
#include "report/learning_curves.h"

#include <cmath>
#include <string>
#include <vector>

#include "catch.h"
#include "report/svg_elements.h"

namespace {

// Ten tokens a step until step 20, then thirty; an evaluation between two lines and one past the
// last; a line that was cut off.
const std::string kMetrics =
    R"({"step":10,"tokens":100,"seconds":1.5,"loss_nats_per_token":4.0,)"
    R"("aux/mse/0":0.5,"aux/mse/0/count":4})"
    "\n"
    R"({"step":20,"tokens":200,"seconds":3.0,"loss_nats_per_token":3.0,)"
    R"("aux/mse/0":0.25,"aux/mse/0/count":4,"aux/mse/1":9,"aux/mse/1/count":0})"
    "\n"
    R"({"step":15,"split":"valid","nats_per_token":3.5,"bits_per_byte":5.0,"perplexity":33.1})"
    "\n"
    R"({"step":30,"tokens":500,"seconds":5.0,"loss_nats_per_token":2.0})"
    "\n"
    R"({"step":25,"split":"valid","nats_per_token":2.5,"bits_per_byte":null,"perplexity":12.2})"
    "\n"
    R"({"step":33,"split":"valid","nats_per_token":2.25,"bits_per_byte":3.0,"perplexity":9.5})"
    "\n[1, 2]\n{\"step\":40,\"tok";

}  // namespace

TEST_CASE("A learning curve stands at the tokens of its lines") {
  const lc::LearningCurves curves = lc::read_learning_curves("a", kMetrics);
  REQUIRE(curves.training.size() == 3);
  CHECK(curves.training[2].tokens == 500.0);
  CHECK(curves.training[2].nats_per_token == 2.0);
  CHECK(curves.steps == 30);
  CHECK(curves.tokens == 500.0);
  CHECK(curves.seconds == 5.0);
  const auto& valid = curves.evaluations.at("valid");
  REQUIRE(valid.size() == 3);
  CHECK(valid[0].tokens == Approx(150));
  CHECK(valid[1].tokens == Approx(350));  // half-way between 200 and 500
  CHECK(valid[2].tokens == Approx(550));  // past the last line, at its rate
  CHECK(std::isnan(valid[1].bits_per_byte));
  REQUIRE(curves.auxiliary.size() == 1);
  CHECK(curves.auxiliary.at("mse") == std::map<int64_t, double>{{0, 0.25}});
  const lc::LearningCurves none = lc::read_learning_curves("b", "");
  CHECK(none.training.empty());
  CHECK(none.evaluations.empty());
}

TEST_CASE("Thinned points are means of their stretches") {
  std::vector<lc::LearningPoint> points;
  for (int i = 0; i < 10; ++i) points.push_back({100.0 * (i + 1), 1.0 * i, 2.0 * i});
  CHECK(lc::thinned(points, 10).size() == 10);
  const auto four = lc::thinned(points, 4);
  REQUIRE(four.size() == 4);
  CHECK(four[0].tokens == 300.0);
  CHECK(four[0].nats_per_token == Approx(1));
  CHECK(four[0].bits_per_byte == Approx(2));
  CHECK(four[3].tokens == 1000.0);
  CHECK(four[3].nats_per_token == Approx(9));
}

TEST_CASE("Learning curves are drawn in the unit that all evaluations have") {
  lc::LearningCurves a = lc::read_learning_curves("a <&>", kMetrics);
  const lc::Plot nats = lc::evaluation_plot({a});
  CHECK(nats.y_label == "nats per token");
  CHECK(nats.curves.at(0).points.at(0).y == 3.5);
  a.evaluations.at("valid")[1].bits_per_byte = 4.0;
  const lc::Plot bits = lc::evaluation_plot({a, a});
  CHECK(bits.y_label == "bits per byte");
  CHECK(bits.curves.at(1).points.at(0).y == 5.0);
  const auto elements = svg::parse(lc::svg_plot(lc::training_plot({a, a})));
  CHECK(svg::of_class(elements, "polyline", "line").size() == 2);
  CHECK(svg::of_class(svg::parse(lc::svg_bars(lc::auxiliary_chart({a}))), "rect", "bars").size() ==
        1);
  CHECK(lc::auxiliary_chart({}).panels.empty());
}

// Attention masses as people and programs read them.
#include "report/attention_mass_report.h"

#include <ATen/ATen.h>

#include <cmath>
#include <sstream>
#include <string>

#include "catch.h"
#include "data/tiny_text.h"
#include "eval/stream_evaluation.h"
#include "eval/tiny_model.h"
#include "report/svg_elements.h"

using Json = nlohmann::json;

TEST_CASE("Attention masses are shown as table, JSON, CSV and bars with the same numbers") {
  const TinyModel tiny(tiny_compressive("separate"), at::kDouble);
  lc::EvaluationSettings settings;
  settings.segment_length = 8;
  settings.lanes = 1;
  lc::AttentionMassProbe probe;
  lc::evaluate_observed(*tiny.model, TinyText::of_documents({100}, kTinyVocabulary).file(),
                        settings, &probe);
  const lc::AttentionResult result{"a <run>", probe.mass(2), {{"step", 3}}};
  const Json json = lc::attention_json({result});
  CHECK(json.at("queries") == 99);
  CHECK(json.at("protocol").at("step") == 3);
  REQUIRE(json.at("buckets").size() == 6);
  REQUIRE(json.at("layers").size() == 3);
  double mean = 0;
  for (const Json& layer : json.at("layers")) mean += layer.at("mass")[3].get<double>() / 3;
  CHECK(json.at("buckets")[3].at("mass").get<double>() == Approx(mean));
  CHECK(lc::attention_json({result, result}).at("runs")[1].at("name") == "a <run>");

  std::istringstream csv(lc::attention_csv({result}));
  std::string line;
  int rows = 0;
  while (std::getline(csv, line)) ++rows;
  CHECK(rows == 1 + 6 * 4);

  const std::string table = lc::attention_table(result);
  CHECK(table.find("compressed       2  -3 to -1") != std::string::npos);
  const auto elements = svg::parse(lc::svg_bars(lc::attention_chart({result})));
  CHECK(svg::of_class(elements, "rect", "bars").size() == 6 * 4);

  lc::AttentionResult lost = result;
  for (lc::AttentionShare& share : lost.mass.layers[0]) share.mass = -std::nan("");
  const std::string shown = lc::attention_table(lost);
  CHECK(shown.find("not a number") != std::string::npos);
  CHECK(shown.find("nan") == std::string::npos);
  const std::string drawn = lc::svg_bars(lc::attention_chart({lost}));
  CHECK(drawn.find("segment not a number") != std::string::npos);
  CHECK(drawn.find("nan") == std::string::npos);
}

// A diagnosis as text, as bars and as CSV.

#include <ATen/ATen.h>

#include <cmath>
#include <sstream>
#include <string>

#include "catch.h"
#include "data/tiny_text.h"
#include "eval/tiny_model.h"
#include "report/diagnosis_plot.h"
#include "report/diagnosis_text.h"
#include "report/svg_elements.h"

namespace {

lc::Evaluation evaluation(const char* type) {
  const TinyModel tiny(
      {{"type", type}, {"positions", {{"scheme", "alibi"}}}, {"infini", {{"gate_init", 0.5}}}},
      at::kDouble);
  lc::EvaluationSettings settings;
  settings.segment_length = 8;
  settings.lanes = 2;
  settings.diagnosis = lc::Diagnosis::kKnockOut;
  return lc::evaluate_split(*tiny.model, TinyText::of_documents({100}, kTinyVocabulary).file(),
                            settings);
}

}  // namespace

TEST_CASE("A diagnosis is drawn and written with the numbers that it has") {
  lc::RunResult result;
  result.name = "run";
  result.evaluation = evaluation("infini");
  const std::string shown = lc::diagnosis_text(result);
  CHECK(shown.find("with memory knocked out") != std::string::npos);
  CHECK(shown.find("memory_over_local") != std::string::npos);
  const lc::BarChart chart = lc::diagnosis_chart({result});
  // Three layers of gates, two numbers by layer.
  REQUIRE(chart.panels.size() == 5);
  CHECK(chart.panels[0].title == "gate, layer 0");
  CHECK(chart.panels[0].groups[0].values == std::vector<double>{0, 0, 0, 0, 0, 0, 100, 0, 0, 0});
  CHECK(chart.panels[3].groups[0].values.size() == 3);
  CHECK(svg::of_class(svg::parse(lc::svg_bars(chart)), "rect", "bars").size() == 36);

  std::istringstream csv(lc::diagnosis_csv({result}));
  std::vector<std::string> lines;
  for (std::string line; std::getline(csv, line);) lines.push_back(line);
  REQUIRE(lines.size() == 1 + 2 + 3 * 3);
  CHECK(lines[0].rfind("run,measured,layer,min,mean,max,tenth_0,", 0) == 0);
  CHECK(lines[2].rfind("run,nats_per_token_without_memory,,,", 0) == 0);
  CHECK(lines[3].rfind("run,gate,0,", 0) == 0);
  CHECK(lines[3].find(",0,0,0,0,0,0,1,0,0,0") != std::string::npos);

  // Small numbers keep their size.
  const auto set_gate = [&](double mean) {
    result.evaluation.measured["gate"][0]["mean"] = mean;
    return lc::diagnosis_chart({result}).panels[0].groups[0].name;
  };
  CHECK(set_gate(0.62246) == "mean 0.622");
  CHECK(set_gate(6.1422e-06) == "mean 0.00000614");
  CHECK(lc::diagnosis_text(result).find(" 6.142e-06 ") != std::string::npos);
  CHECK(set_gate(std::nan("")) == "mean not a number");
  CHECK(lc::diagnosis_text(result).find(" not a number ") != std::string::npos);

  result.evaluation = evaluation("vanilla");
  CHECK(lc::diagnosis_chart({result}).panels.empty());
  CHECK_NOTHROW(svg::parse(lc::svg_bars(lc::diagnosis_chart({result}))));
}

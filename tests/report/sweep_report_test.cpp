// A grid over runtime values as people and programs read it.
#include <ATen/ATen.h>

#include <algorithm>
#include <string>

#include "catch.h"
#include "data/tiny_text.h"
#include "eval/tiny_model.h"
#include "report/csv_results.h"
#include "report/table_results.h"

namespace {

using namespace lc;

TEST_CASE("A grid as table, square, JSON and CSV") {
  const lc::TokenFile text = TinyText::of_documents({60}, kTinyVocabulary).file();
  const TinyModel xl(tiny_xl(6, "segment"), at::kDouble);
  EvaluationSettings settings;
  settings.segment_length = 5;
  RunResult result;
  result.name = "xl";
  result.evaluation = evaluate_split(*xl.model, text, settings);
  result.grid =
      runtime_sweep(xl.source(), text, parse_sweep({"memory=2,6", "span=segment,fixed"}), settings);
  const nlohmann::json json = result_json(result);
  REQUIRE(json["sweep"].size() == 4);
  CHECK(json["sweep"][2]["memory"] == 6);
  CHECK(json["sweep"][2]["span"] == "segment");
  CHECK(json["sweep"][2]["nats_per_token"] == json["nats_per_token"]);  // the run's own values
  CHECK(json["protocol"]["sweep"]["memory"] == nlohmann::json({2, 6}));
  CHECK(json["protocol"]["sweep"]["tokens_scored"] == 59);

  const std::string table = sweep_table({result});
  CHECK(table.find("memory     span") != std::string::npos);
  CHECK(table.find("xl: bits per byte\nmemory \\ span  segment ") != std::string::npos);
  const std::string csv = sweep_csv({result});
  CHECK(csv.rfind("run,memory,span,nats_per_token,nats_low,nats_high,bits_per_byte,perplexity,"
                  "word_perplexity,word_perplexity_low,word_perplexity_high,tokens_scored,mode\n"
                  "xl,2,segment,",
                  0) == 0);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 5);

  result.grid->axes.pop_back();
  result.grid->cells.resize(2);
  CHECK(sweep_table({result}).find("\\") == std::string::npos);
}

TEST_CASE("A grid says how each cell was read where that isn't the same for all") {
  const lc::TokenFile text = TinyText::of_documents({60}, kTinyVocabulary).file();
  EvaluationSettings settings;
  settings.segment_length = 5;
  const auto swept = [&](int64_t trained, const char* axis) {
    const TinyModel xl(tiny_xl(trained, "segment"), at::kDouble);
    RunResult result;
    result.name = "xl";
    result.evaluation = evaluate_split(*xl.model, text, settings);
    result.grid = runtime_sweep(xl.source(), text, parse_sweep({axis}), settings);
    return result;
  };
  const RunResult mixed = swept(6, "memory=0,6");
  const std::string table = sweep_table({mixed});
  CHECK(table.rfind("run  memory  mode      bits per byte", 0) == 0);
  CHECK(table.find("\nxl        0  segments  ") != std::string::npos);
  CHECK(table.find("\nxl        6  memory    ") != std::string::npos);
  CHECK(table.find("\nsegments: a cell without memory reads") != std::string::npos);
  const std::string csv = sweep_csv({mixed});
  CHECK(csv.find(",59,segments\nxl,6,") != std::string::npos);
  CHECK(csv.ends_with(",59,memory\n"));

  CHECK(sweep_table({swept(6, "memory=2,6")}).find("mode") == std::string::npos);
  CHECK(sweep_csv({swept(6, "memory=2,6")}).ends_with(",59,memory\n"));
  // Cells of one mode, but another than the split's, whose windows slide.
  const std::string apart = sweep_table({swept(0, "clamp=2,null")});
  CHECK(apart.rfind("run  clamp  mode      ", 0) == 0);
  CHECK(apart.find("\nxl       2  segments  ") != std::string::npos);
}

}  // namespace

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
  result.grid = runtime_sweep(xl.source(), text, parse_sweep({"memory=2,6", "span=segment,fixed"}),
                              settings);
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
                  "word_perplexity,tokens_scored\nxl,2,segment,",
                  0) == 0);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 5);

  result.grid->axes.pop_back();
  result.grid->cells.resize(2);
  CHECK(sweep_table({result}).find("\\") == std::string::npos);
}

}  // namespace

// Reports made of results: JSON keys, tables, CSV, plots and files.
#include "report/table_results.h"

#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <string>

#include "catch.h"
#include "config/json_text.h"
#include "core/file_io.h"
#include "report/csv_results.h"
#include "report/report_files.h"
#include "report/svg/plot_contexts.h"

namespace lc {
namespace {

Measures measures_of(double nats) {
  Measures measures;
  measures.tokens_scored = 1000;
  measures.total_nats = 1000 * nats;
  measures.nats_per_token = nats;
  measures.perplexity = std::exp(nats);
  measures.bits_per_token = nats / std::log(2.0);
  measures.bits_per_byte = 0.5 * nats / std::log(2.0);  // two bytes a token
  measures.nats_interval = Interval{nats - 0.2, nats + 0.1};
  return measures;
}

Evaluation evaluation_of(double nats) {
  Evaluation evaluation;
  evaluation.measures = measures_of(nats);
  evaluation.tokens_total = 1001;
  evaluation.skipped = {{"first_of_text", 1}};
  evaluation.protocol = {{"mode", "memory"}, {"segment", 32}};
  return evaluation;
}

RunResult result_of(const std::string& name, double nats) {
  return {name,
          {{"checkpoint", "runs/" + name}, {"step", 1200}, {"split", "test"}},
          evaluation_of(nats),
          {}};
}

RunResult with_sweep(RunResult result) {
  ContextSweep sweep;
  const double nats = *result.evaluation.measures.nats_per_token;
  sweep.points = {{0, 1.0, evaluation_of(nats + 1)}, {64, 61.5, evaluation_of(nats)}};
  sweep.protocol = {{"mode", "strict"}, {"predecessors", 64}};
  result.sweep = sweep;
  return result;
}

std::set<std::string> keys_of(const nlohmann::json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

}  // namespace

TEST_CASE("the object of one run has the documented keys and no others") {
  const nlohmann::json json = results_json({result_of("xl", 1.5)});
  const std::set<std::string> expected = {
      "nats_per_token",  "perplexity",   "bits_per_token", "bits_per_byte",  "bits_per_character",
      "word_perplexity", "tokens_total", "tokens_scored",  "tokens_skipped", "protocol"};
  CHECK(keys_of(json) == expected);
  CHECK(json["nats_per_token"] == 1.5);
  CHECK(json["bits_per_character"].is_null());
  CHECK(json["tokens_total"] == 1001);
  CHECK(json["tokens_skipped"] == 1);
  CHECK(json["protocol"]["checkpoint"] == "runs/xl");
  CHECK(json["protocol"]["step"] == 1200);
  CHECK(json["protocol"]["segment"] == 32);
}

TEST_CASE("a sweep adds contexts with the documented keys") {
  const nlohmann::json json = results_json({with_sweep(result_of("xl", 1.5))});
  REQUIRE(json["contexts"].size() == 2);
  const std::set<std::string> expected = {"context",     "nats_per_token", "bits_per_byte",
                                          "perplexity",  "nats_low",       "nats_high",
                                          "mean_visible"};
  CHECK(keys_of(json["contexts"][0]) == expected);
  CHECK(json["contexts"][1]["context"] == 64);
  CHECK(json["contexts"][1]["nats_low"] == Approx(1.3));
  CHECK(json["protocol"]["contexts"]["mode"] == "strict");
}

TEST_CASE("several runs are one object with a list") {
  const nlohmann::json json = results_json({result_of("a", 1), result_of("b", 2)});
  CHECK(keys_of(json) == std::set<std::string>{"runs"});
  CHECK(json["runs"][1]["name"] == "b");
  CHECK(json["runs"][1]["nats_per_token"] == 2.0);
}

TEST_CASE("results as a table leave out units that nobody has") {
  CHECK(
      results_table({result_of("xl", 1.0)}) ==
      "run   step  bits per byte  nats per token  perplexity  95% interval (nats)  tokens scored\n"
      "---  -----  -------------  --------------  ----------  -------------------  -------------\n"
      "xl   1,200         0.7213          1.0000       2.718     0.8000 to 1.1000          "
      "1,000\n");
  RunResult word = result_of("word", 1.0);
  word.evaluation.measures.bits_per_byte.reset();
  word.evaluation.measures.word_perplexity = 40.25;
  const std::string both = results_table({result_of("xl", 1.0), word});
  CHECK(both.find("word perplexity") != std::string::npos);
  CHECK(both.find("40.250") != std::string::npos);
  word.evaluation.measures.word_perplexity = 26282357.651;
  CHECK(results_table({word}).find("26,282,358") != std::string::npos);
  CHECK(results_table({word}).find("bits per byte") == std::string::npos);
  word.evaluation.measures.word_perplexity = 2.5e18;
  CHECK(results_table({word}).find("2.500e+18") != std::string::npos);
  word.evaluation.measures.word_perplexity = 40.25;
  word.evaluation.measures.word_perplexity_interval = Interval{38.5, 12000};
  CHECK(results_table({result_of("xl", 1.0), word}) ==
        "run    step  bits per byte  nats per token  perplexity  word perplexity  "
        "95% interval (nats)  95% interval (word perplexity)  tokens scored\n"
        "----  -----  -------------  --------------  ----------  ---------------  "
        "-------------------  ------------------------------  -------------\n"
        "xl    1,200         0.7213          1.0000       2.718                -     "
        "0.8000 to 1.1000                               -          1,000\n"
        "word  1,200              -          1.0000       2.718           40.250     "
        "0.8000 to 1.1000                38.500 to 12,000          1,000\n");
  CHECK(perplexity_text(std::numeric_limits<double>::infinity()) == "infinite");
}

TEST_CASE("tokens that the vocabulary doesn't have are told below the table") {
  RunResult result = result_of("xl", 1.0);
  result.evaluation.protocol["unknown_rate"] = nullptr;
  CHECK(results_table({result}).find("unknown") == std::string::npos);
  result.evaluation.protocol["unknown_rate"] = 0.12834;
  CHECK(results_table({result_of("other", 1.0), result})
            .ends_with("xl: 12.83 % of the split's tokens are unknown to the vocabulary\n"));
}

TEST_CASE("bytes that don't give the text back are told in bits per token") {
  const auto shows_bits = [](const std::string& type, bool bytes_known) {
    RunResult result = result_of("xl", 1.0);
    result.evaluation.protocol["tokenizer"]["type"] = type;
    if (!bytes_known) result.evaluation.measures.bits_per_byte = {};
    const std::string table = results_table({result});
    return table.find("bits per token") != std::string::npos &&
           table.find("1.4427") != std::string::npos;  // 1 / ln 2
  };
  CHECK(shows_bits("byte", false));
  CHECK_FALSE(shows_bits("byte", true));
  CHECK_FALSE(shows_bits("word", false));
}

TEST_CASE("contexts of one run and of several") {
  const RunResult a = with_sweep(result_of("a", 1.0));
  RunResult b = with_sweep(result_of("b", 2.0));
  CHECK(contexts_table({a}).find("61.5") != std::string::npos);
  CHECK(contexts_table({a, b}) ==
        "bits per byte\n"
        "context       a       b\n"
        "-------  ------  ------\n"
        "      0  1.4427  2.1640\n"
        "     64  0.7213  1.4427\n");
  b.sweep->points[1].evaluation.measures.bits_per_byte.reset();
  CHECK(contexts_table({a, b}).rfind("nats per token\n", 0) == 0);
}

TEST_CASE("the plot shows the common unit with its intervals") {
  const Plot plot =
      contexts_plot({with_sweep(result_of("a", 1.0)), with_sweep(result_of("b", 2.0))});
  CHECK(plot.y_label == "bits per byte");
  CHECK(plot.subtitle ==
        "test split: 1,000 targets, the same at every length; strict context; 95% intervals");
  REQUIRE(plot.curves.size() == 2);
  const PlotPoint& point = plot.curves[1].points[1];
  CHECK(point.x == 64);
  CHECK(point.y == Approx(2.0 * 0.5 / std::log(2.0)));
  CHECK(point.low == Approx(1.8 * 0.5 / std::log(2.0)));
  CHECK(point.high == Approx(2.1 * 0.5 / std::log(2.0)));
  RunResult word = with_sweep(result_of("word", 2.0));
  for (ContextPoint& p : word.sweep->points) p.evaluation.measures.bits_per_byte.reset();
  const Plot in_nats = contexts_plot({with_sweep(result_of("a", 1.0)), word});
  CHECK(in_nats.y_label == "nats per token");
  CHECK(in_nats.curves[0].points[1].low == Approx(0.8));
}

TEST_CASE("a plot names the run of which no loss is finite") {
  RunResult lost = with_sweep(result_of("lost", 2.0));
  for (ContextPoint& point : lost.sweep->points) {
    point.evaluation.measures.nats_per_token.reset();
    point.evaluation.measures.bits_per_byte.reset();
  }
  const std::string svg = svg_plot(contexts_plot({with_sweep(result_of("a", 1.0)), lost}));
  CHECK(svg.find(">not finite: lost; test split: 1,000 targets") != std::string::npos);
  CHECK(svg_plot(contexts_plot({with_sweep(result_of("a", 1.0))})).find("not finite") ==
        std::string::npos);
}

TEST_CASE("results as CSV") {
  RunResult result = result_of("a,b", 0.5);
  result.evaluation.measures.bits_per_token = 0.25;
  result.evaluation.measures.perplexity = 2;
  result.evaluation.measures.bits_per_byte = 0.125;
  result.evaluation.measures.nats_interval = Interval{0.375, 0.625};
  CHECK(results_csv({result}) ==
        "run,step,split,nats_per_token,nats_low,nats_high,perplexity,bits_per_token,bits_per_byte,"
        "bits_per_character,word_perplexity,word_perplexity_low,word_perplexity_high,tokens_total,"
        "tokens_scored,tokens_skipped\n"
        "\"a,b\",1200,test,0.5,0.375,0.625,2,0.25,0.125,,,,,1001,1000,1\n");
  RunResult words = result;
  words.evaluation.measures.word_perplexity = 40.25;
  words.evaluation.measures.word_perplexity_interval = Interval{38.5, 42};
  CHECK(results_csv({words}).ends_with(",0.125,,40.25,38.5,42,1001,1000,1\n"));
  ContextSweep sweep;
  sweep.points = {{0, 1.0, result.evaluation}};
  result.sweep = sweep;
  CHECK(contexts_csv({result}) ==
        "run,context,nats_per_token,nats_low,nats_high,bits_per_byte,perplexity,mean_visible\n"
        "\"a,b\",0,0.5,0.375,0.625,0.125,2,1\n");
}

TEST_CASE("the protocol in one line, nulls left out") {
  CHECK(protocol_line(
            {{"a", 1}, {"b", nullptr}, {"c", {{"d", "x"}, {"e", true}}}, {"split", "test"}}) ==
        "split test; a 1; c.d x; c.e true");
  CHECK(protocol_line({{"mode", "memory"},
                       {"units",
                        {{"words", 6966499},
                         {"words_own", 6969012},
                         {"words_counted", "the published count of the split"}}}}) ==
        "mode memory; words 6,966,499 (the published count of the split; counted here: 6,969,012)");
  CHECK(protocol_line({{"tokenizer_hash", "12"}, {"text_hash", "34"}, {"units", {{"bytes", 3}}}})
            .empty());
}

TEST_CASE("report files") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "lc_report_files_test" / "eval";
  std::filesystem::remove_all(folder.parent_path());
  const FilePlace place{folder, "test"};
  CHECK(write_report({result_of("a", 1)}, place).size() == 2);
  CHECK(nlohmann::json::parse(read_file(folder / "test.json"))["nats_per_token"] == 1.0);
  CHECK(read_file(folder / "test.csv") == results_csv({result_of("a", 1)}));
  const RunResult swept = with_sweep(result_of("a", 1));
  const auto files = write_report({swept}, place);
  REQUIRE(files.size() == 3);
  CHECK(read_file(folder / "test_context_strict.csv") == contexts_csv({swept}));
  CHECK(read_file(folder / "test_context_strict.svg") == svg_plot(contexts_plot({swept})));
  // Another evaluation has names of its own, whatever it measured.
  const FilePlace other{folder, "test_other"};
  RunResult diagnosed = result_of("a", 2);
  diagnosed.evaluation.without_memory = measures_of(3);
  const auto diagnosis = write_report({diagnosed}, other);
  REQUIRE(diagnosis.size() == 3);
  CHECK(diagnosis[0] == folder / "test_other.json");
  CHECK(diagnosis[2] == folder / "test_other_diagnosis.csv");
  CHECK(write_report({with_sweep(diagnosed)}, other)[0] ==
        folder / "test_other_context_strict.json");
  CHECK(nlohmann::json::parse(read_file(folder / "test.json"))["nats_per_token"] == 1.0);
  CHECK(read_file(folder / "test_context_strict.csv") == contexts_csv({swept}));
  std::filesystem::remove_all(folder.parent_path());
}

TEST_CASE("names that are not UTF-8 do not break the JSON") {
  RunResult result = result_of("a", 1);
  result.source["checkpoint"] = "runs/\xFF";
  const std::string text = json_text(results_json({result}), -1);
  CHECK(nlohmann::json::parse(text)["protocol"]["checkpoint"] == "runs/\xEF\xBF\xBD");
}

}  // namespace lc

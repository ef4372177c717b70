// Paired comparison of two runs, and what is said of it.
#include "report/comparison_report.h"

#include <cmath>

#include "catch.h"
#include "data/tiny_text.h"

namespace {

using namespace lc;

TokenScores scores_of(int64_t tokens, double offset) {
  TokenScores scores;
  for (int64_t t = 1; t < tokens; ++t) {
    scores.targets.push_back(t);
    scores.nll.push_back(2 + std::sin(0.37 * static_cast<double>(t)) +
                         offset * static_cast<double>(1 + t % 3));
  }
  return scores;
}

RunResult result_of(const char* name, const TinyText& text, double offset) {
  RunResult result;
  result.name = name;
  result.evaluation.scores = scores_of(static_cast<int64_t>(text.ids.size()), offset);
  result.evaluation.measures = measure(text.file(), result.evaluation.scores);
  result.evaluation.protocol = nlohmann::json::object();
  return result;
}

TEST_CASE("The difference is A minus B, with both signs turned when they change places") {
  const TinyText text = TinyText::of_documents({10000}, 256);
  const auto ab = comparison_json(
      compare_runs(text.file(), result_of("a", text, 0), result_of("b", text, 0.1)));
  const auto ba = comparison_json(
      compare_runs(text.file(), result_of("b", text, 0.1), result_of("a", text, 0)));
  // B is worse by 0.1, 0.2 and 0.3 nats in turn: 3333 full turns over targets 1 .. 9999.
  CHECK(ab["difference"]["nats_per_token"].get<double>() == Approx(-0.2));
  CHECK(ab["difference"]["bits_per_byte"].get<double>() == Approx(-0.2 / std::log(2.0)));
  CHECK(ab["difference"]["tokens"] == 9999);
  CHECK(ab["difference"]["nats_low"].get<double>() < -0.1999);
  CHECK(ab["difference"]["nats_high"].get<double>() < -0.1);
  for (const auto& [key, other] : {std::pair{"nats_per_token", "nats_per_token"},
                                   {"bits_per_byte", "bits_per_byte"},
                                   {"nats_low", "nats_high"},
                                   {"nats_high", "nats_low"},
                                   {"bits_low", "bits_high"}}) {
    CHECK(ab["difference"][key].get<double>() == Approx(-ba["difference"][other].get<double>()));
  }
  CHECK(ab["a"]["name"] == "a");
  CHECK(ba["a"] == ab["b"]);
}

TEST_CASE("A run compared with itself: no difference at all") {
  const TinyText text = TinyText::of_documents({10000}, 256);
  const Comparison same =
      compare_runs(text.file(), result_of("a", text, 0), result_of("also a", text, 0));
  const auto json = comparison_json(same);
  CHECK(json["difference"]["nats_per_token"] == 0.0);
  CHECK(json["difference"]["nats_low"] == 0.0);
  CHECK(json["difference"]["nats_high"] == 0.0);
  CHECK(comparison_text(same).find(
            "No difference beyond the 95% interval, which stands on 10 blocks of 1000 tokens.") !=
        std::string::npos);
}

TEST_CASE("The better run is named, whichever place it stands in") {
  const TinyText text = TinyText::of_documents({10000}, 256);
  const RunResult good = result_of("good", text, 0);
  const RunResult bad = result_of("bad", text, 0.5);
  const std::string sentence =
      "good is better than bad, beyond the 95% interval, which stands on 10";
  CHECK(comparison_text(compare_runs(text.file(), good, bad)).find(sentence) != std::string::npos);
  CHECK(comparison_text(compare_runs(text.file(), bad, good)).find(sentence) != std::string::npos);
}

TEST_CASE("A few blocks are no ground for a verdict, and so many documents are") {
  const TinyText few = TinyText::of_documents({9000}, 256);
  const std::string none = comparison_text(
      compare_runs(few.file(), result_of("good", few, 0), result_of("bad", few, 1)));
  CHECK(none.find("No verdict: the interval stands on 9 blocks of 1000 tokens only; score at least "
                  "10.") != std::string::npos);
  CHECK(none.find("better") == std::string::npos);
  const TinyText books = TinyText::of_documents(std::vector<int64_t>(30, 20), 256);
  const std::string better = comparison_text(
      compare_runs(books.file(), result_of("good", books, 0), result_of("bad", books, 1)));
  CHECK(better.find("good is better than bad, beyond the 95% interval, which stands on 30 "
                    "documents.") != std::string::npos);
}

TEST_CASE("A run with a loss that isn't finite is no winner, and has no interval") {
  const TinyText text = TinyText::of_documents({5000}, 256);
  const RunResult good = result_of("good", text, 0);
  RunResult lost = result_of("lost", text, 0);
  lost.evaluation.scores.nll[1700] = std::nan("");
  lost.evaluation.measures = measure(text.file(), lost.evaluation.scores);
  for (const auto& [a, b] : {std::pair(good, lost), {lost, good}}) {
    const Comparison comparison = compare_runs(text.file(), a, b);
    const std::string shown = comparison_text(comparison);
    CHECK(shown.find("lost has losses that are not finite") != std::string::npos);
    CHECK(shown.find("is better") == std::string::npos);
    const auto json = comparison_json(comparison);
    CHECK(json["difference"]["nats_per_token"].is_null());
    CHECK(json["difference"]["nats_low"].is_null());
    const std::string drawn = svg_dot_plot(comparison_plot(comparison));
    CHECK(drawn.find("not finite: " + a.name + " minus " + b.name + "; ") != std::string::npos);
  }
}

TEST_CASE("Contexts are compared one by one") {
  const TinyText text = TinyText::of_documents({3000}, 256);
  RunResult a = result_of("a", text, 0);
  RunResult b = result_of("b", text, 0);
  for (RunResult* run : {&a, &b}) {
    ContextSweep sweep;
    const double worse = run == &b ? 0.05 : 0;
    sweep.points = {{0, 1, result_of("", text, worse).evaluation},
                    {8, 8.5, result_of("", text, 2 * worse).evaluation}};
    run->sweep = sweep;
  }
  const Comparison comparison = compare_runs(text.file(), a, b);
  const auto json = comparison_json(comparison);
  REQUIRE(json["contexts"].size() == 2);
  CHECK(json["difference"]["nats_per_token"] == 0.0);
  CHECK(json["contexts"][0]["context"] == 0);
  CHECK(json["contexts"][1]["context"] == 8);
  const double at_0 = json["contexts"][0]["nats_per_token"];
  CHECK(at_0 < 0);
  CHECK(json["contexts"][1]["nats_per_token"].get<double>() == Approx(2 * at_0));
  const std::string csv = comparison_csv(comparison);
  CHECK(csv.rfind("a,b,context,nats_per_token,nats_low,nats_high,bits_per_byte,bits_low,bits_high,"
                  "tokens\na,b,,0,0,0,0,0,0,2999\na,b,0,",
                  0) == 0);
}

TEST_CASE("Word tokens are compared in nats") {
  TinyText text = TinyText::of_documents({4000}, 256);
  text.sizes = {std::vector<int64_t>(256, -1), std::vector<int64_t>(256, -1)};
  const Comparison comparison =
      compare_runs(text.file(), result_of("a", text, 0), result_of("b", text, 0.1));
  CHECK(comparison_json(comparison)["difference"]["bits_per_byte"].is_null());
  CHECK(comparison_text(comparison).find("nats per token") != std::string::npos);
}

}  // namespace

// Which tokens and words gain.
#include "report/token_gains_report.h"

#include <cmath>
#include <map>

#include "core/rng.h"
#include "eval/piece_text.h"

namespace {

using namespace lc;

struct Gained {
  PieceText text;
  TokenScores differences;
  TokenGains gains;
};

// "the" is better in A, "cat" in B; one token of the first "cat" isn't scored.
Gained small_example() {
  Gained made;
  made.text.add({"the", " c", "at", " the", "\n", " c", "at"});
  made.differences = {{1, 3, 4, 5, 6}, {0.25, -1, -0.125, 0.5, 0.25}};
  const PieceTokenizer tokenizer = made.text.tokenizer();
  const TokenFile tokens = made.text.file(tokenizer);
  made.gains = token_gains({tokens, tokenizer}, made.differences, &tokens);
  return made;
}

TEST_CASE("Gains are summed by token and by word, A's best first") {
  const Gained made = small_example();
  const auto json = gains_json(made.gains, 10);
  const auto& words = json.at("words");
  REQUIRE(words["a"].size() == 2);
  CHECK(words["a"][0]["text"] == "the");
  CHECK(words["a"][0]["nats_total"] == -1.0);
  CHECK(words["a"][1]["text"] == "(between words)");
  CHECK(words["a"][1]["nats_total"] == -0.125);
  REQUIRE(words["b"].size() == 1);
  CHECK(words["b"][0]["text"] == "cat");
  CHECK(words["b"][0]["count"] == 2);
  CHECK(words["b"][0]["nats_total"] == 1.0);
  CHECK(words["b"][0]["nats_mean"] == 0.5);
  const auto& tokens = json.at("tokens");
  CHECK(tokens["a"][0]["text"] == " the");
  CHECK(tokens["a"][0]["id"] == 3);
  CHECK(tokens["b"][0]["text"] == " c");
  CHECK(tokens["b"][0]["count"] == 2);
  CHECK(tokens["b"][0]["nats_total"] == 0.75);
  CHECK(tokens["b"][1]["text"] == "at");
  CHECK(gains_json(made.gains, 1)["words"]["a"].size() == 1);
}

TEST_CASE("Gain by frequency has the paper's buckets, and what stands between words") {
  const auto json = gains_json(small_example().gains, 10).at("frequency");
  REQUIRE(json.size() == 5);
  CHECK(json[0]["slice"] == "0 to 99");
  CHECK(json[0]["tokens"] == 4);
  CHECK(json[0]["nats_total"] == 0.0);
  CHECK(json[3]["tokens"] == 0);
  CHECK(json[3]["nats_mean"].is_null());
  CHECK(json[4]["slice"] == "between words");
  CHECK(json[4]["nats_total"] == -0.125);
}

TEST_CASE("Without a train split there is no gain by frequency") {
  const Gained made = small_example();
  const PieceTokenizer tokenizer = made.text.tokenizer();
  const TokenFile tokens = made.text.file(tokenizer);
  const TokenGains gains = token_gains({tokens, tokenizer}, made.differences, nullptr);
  CHECK(gains_json(gains, 10)["frequency"].is_null());
  CHECK(gains_csv(gains, 10).find("frequency,") == std::string::npos);
  CHECK(gains_text(gains, 10, {"x", "y"}).find("frequency") == std::string::npos);
}

TEST_CASE("Gains of a random text are those of a map, and sum up to the whole difference") {
  PieceText text;
  std::vector<std::string> pieces;
  for (uint64_t i = 0; i < 3000; ++i) {
    pieces.push_back(std::vector<std::string>{" a", " b", "c", "\n"}[hash_bits(i) % 4]);
  }
  text.add(pieces);
  TokenScores differences;
  std::map<std::string, std::pair<int64_t, double>> expected;
  double total = 0;
  for (int64_t t = 1; t < 3000; ++t) {
    const double nats = std::sin(static_cast<double>(t));
    differences.targets.push_back(t);
    differences.nll.push_back(nats);
    auto& [count, sum] = expected[pieces[static_cast<size_t>(t)]];
    ++count;
    sum += nats;
    total += nats;
  }
  const PieceTokenizer tokenizer = text.tokenizer();
  const TokenFile tokens = text.file(tokenizer);
  const TokenGains gains = token_gains({tokens, tokenizer}, differences, &tokens);
  REQUIRE(gains.tokens.size() == 4);
  for (const TokenGain& gain : gains.tokens) {
    const auto& [count, sum] = expected.at(gain.text == "\\n" ? "\n" : gain.text);
    CHECK(gain.count == count);
    CHECK(gain.nats == Approx(sum).margin(1e-12));
  }
  for (size_t i = 1; i < gains.words.size(); ++i) {
    CHECK(gains.words[i - 1].nats <= gains.words[i].nats);
  }
  double of_words = 0;
  for (const TokenGain& gain : gains.words) of_words += gain.nats;
  CHECK(of_words == Approx(total).margin(1e-10));
  double of_slices = 0;
  for (const SliceScore& slice : gains.by_frequency->slices) of_slices += slice.nats;
  CHECK(of_slices == Approx(total).margin(1e-10));
}

TEST_CASE("Tokens whose loss is infinite in both runs stand last, the others in order") {
  PieceText text;
  std::vector<std::string> pieces = {"start"};
  for (int i = 0; i < 60; ++i) pieces.push_back(" w" + std::to_string(i));
  text.add(pieces);
  TokenScores differences;
  for (int64_t t = 1; t <= 60; ++t) {
    differences.targets.push_back(t);
    differences.nll.push_back(t % 3 == 0 ? std::nan("") : std::sin(static_cast<double>(t)));
  }
  const PieceTokenizer tokenizer = text.tokenizer();
  const TokenFile tokens = text.file(tokenizer);
  const TokenGains gains = token_gains({tokens, tokenizer}, differences, nullptr);
  for (const std::vector<TokenGain>& list : {gains.tokens, gains.words}) {
    REQUIRE(list.size() >= 60);
    for (size_t i = 1; i < 40; ++i) CHECK(list[i - 1].nats <= list[i].nats);
    for (size_t i = 40; i < 60; ++i) CHECK(std::isnan(list[i].nats));
  }
}

TEST_CASE("Gains as CSV and as text") {
  const TokenGains gains = small_example().gains;
  const std::string csv = gains_csv(gains, 1);
  CHECK(csv.rfind("kind,text,id,from,to,count,nats_total,nats_mean,nats_low,nats_high\n"
                  "token, the,3,,,1,-1,-1,,\n"
                  "token, c,1,,,2,0.75,0.375,,\n"
                  "word,the,,,,1,-1,-1,,\n"
                  "word,cat,,,,2,1,0.5,,\n"
                  "frequency,0 to 99,,0,99,4,0,0,,\n",
                  0) == 0);
  const std::string text = gains_text(gains, 10, {"first", "second"});
  CHECK(text.find("words that first predicts better, first minus second") != std::string::npos);
  CHECK(text.find("\" the\"      1    -1.0000       -1.00") != std::string::npos);
  CHECK(text.find("words that second predicts better") != std::string::npos);
}

}  // namespace

#include "eval/metrics.h"

#include <cmath>
#include <limits>
#include <vector>

#include "catch.h"
#include "data/tiny_text.h"

namespace {

using lc::Measures;
using lc::TokenScores;

TokenScores every_target(const TinyText& text, double nll) {
  TokenScores scores;
  for (int64_t t = 1; t < static_cast<int64_t>(text.ids.size()); ++t) {
    scores.targets.push_back(t);
    scores.nll.push_back(nll);
  }
  return scores;
}

TEST_CASE("A uniform guess over 256 bytes: 8 bits a token, perplexity 256") {
  const TinyText text = TinyText::of_documents({100}, 256);
  const Measures measures = measure(text.file(), every_target(text, std::log(256.0)));
  CHECK(measures.tokens_scored == 99);
  CHECK(*measures.nats_per_token == Approx(std::log(256.0)));
  CHECK(*measures.perplexity == Approx(256));
  CHECK(*measures.bits_per_token == Approx(8));
  CHECK(*measures.bits_per_byte == Approx(8));
  CHECK(*measures.bits_per_character == Approx(8));
  CHECK(*measures.word_perplexity == Approx(256));
  CHECK(measures.units.bytes == 99);
}

TEST_CASE("Bytes and characters are those of the scored tokens alone") {
  // Token 0: separator; 1: "a"; 2: "\xc3\xa9" (two bytes, one character); 3: " word".
  TinyText text;
  text.ids = {3, 1, 2, 0, 3, 3, 2, 0};
  text.vocab_size = 4;
  text.sizes = {{0, 1, 2, 5}, {0, 1, 1, 5}};
  text.documents = {{0, 4, 8, 7, 2, ""}, {4, 4, 12, 11, 3, ""}};
  const std::vector<double> nll{0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5};
  const Measures stream = measure(text.file(), {{1, 2, 3, 4, 5, 6, 7}, nll});
  CHECK(stream.units.bytes == 1 + 2 + 0 + 5 + 5 + 2 + 0);
  CHECK(stream.units.characters == 1 + 1 + 0 + 5 + 5 + 1 + 0);
  CHECK(stream.units.words == 5);
  CHECK(stream.total_nats == Approx(14));
  CHECK(*stream.nats_per_token == Approx(2));
  CHECK(*stream.bits_per_byte == Approx(14 / std::log(2.0) / 15));
  CHECK(*stream.bits_per_character == Approx(14 / std::log(2.0) / 13));
  CHECK(*stream.word_perplexity == Approx(std::exp(14.0 / 5)));

  // Reset: the first token of the second document leaves the denominator too.
  const Measures reset = measure(text.file(), {{1, 2, 3, 5, 6, 7}, {1, 1, 1, 1, 1, 1}});
  CHECK(reset.units.bytes == 10);
  CHECK(reset.units.words == 5);

  // The first document alone, whole; then a part of the second.
  CHECK(measure(text.file(), {{1, 2, 3}, {1, 1, 1}}).units.words == 2);
  const Measures part = measure(text.file(), {{1, 2, 3, 4, 5}, {1, 1, 1, 1, 1}});
  CHECK(!part.word_perplexity);
  CHECK(part.reasons.at("word_perplexity").find("in part") != std::string::npos);
  CHECK(measures_json(part).at("word_perplexity").is_null());
  CHECK(part.bits_per_byte);
}

TEST_CASE("A whole split counts its published words, a part its own") {
  TinyText text = TinyText::of_documents({40, 10}, 7);
  text.documents[0].words = 20;
  text.documents[1].words = 5;
  text.header["official_words"] = 31;
  const TokenScores whole = every_target(text, 2.0);
  const Measures measures = measure(text.file(), whole);
  CHECK(measures.units.words == 31);
  CHECK(measures.units.own_words == 25);
  CHECK(*measures.word_perplexity == Approx(std::exp(2.0 * 49 / 31)));
  CHECK(measures.units.words_reason.find("published") != std::string::npos);
  CHECK(measure(text.file(), whole.within(0, 40)).units.words == 20);
  CHECK(measure(text.file(), whole.within(0, 40)).units.own_words == 20);
  CHECK(!measure(text.file(), whole.within(0, 30)).units.words);
}

TEST_CASE("Word perplexity has the interval of the losses, in its own unit") {
  TinyText text = TinyText::of_documents({3000}, 7);
  text.header["tokenizer"] = {{"type", "sentencepiece"}};
  text.documents[0].words = 600;
  TokenScores scores = every_target(text, 0.4);
  for (size_t i = 0; i < 1000; ++i) scores.nll[i] = 0.5;
  const auto check = [&](double words) {
    const Measures measures = measure(text.file(), scores);
    REQUIRE(measures.nats_interval);
    REQUIRE(measures.word_perplexity_interval);
    const auto [low, high] = *measures.word_perplexity_interval;
    CHECK(low == Approx(std::exp(measures.nats_interval->low * 2999 / words)));
    CHECK(high == Approx(std::exp(measures.nats_interval->high * 2999 / words)));
    CHECK(low < *measures.word_perplexity);
    CHECK(*measures.word_perplexity < high);
    CHECK(intervals_json(measures) == nlohmann::json{{"nats_low", measures.nats_interval->low},
                                                     {"nats_high", measures.nats_interval->high},
                                                     {"word_perplexity_low", low},
                                                     {"word_perplexity_high", high}});
  };
  check(600);
  text.header["official_words"] = 620;
  check(620);

  // Scored in part there is none, and of losses too large for a number null.
  const Measures part = measure(text.file(), scores.within(0, 2500));
  CHECK(part.nats_interval);
  CHECK(!part.word_perplexity_interval);
  CHECK(intervals_json(part).at("word_perplexity_low").is_null());
  for (double& nll : scores.nll) nll *= 1000;
  CHECK(intervals_json(measure(text.file(), scores)).at("word_perplexity_high").is_null());
}

TEST_CASE("A perplexity too large for a number is null, with the reason") {
  TinyText text = TinyText::of_documents({40}, 7);
  text.header["tokenizer"] = {{"type", "sentencepiece"}};
  text.documents[0].words = 1;
  const auto of_losses = [&](double nll) {
    const Measures measures = measure(text.file(), every_target(text, nll));
    CHECK(measures_json(measures).at("nats_per_token") == nll);
    for (const char* name : {"perplexity", "word_perplexity"}) {
      CHECK(measures_json(measures).at(name).is_null() == measures.reasons.contains(name));
    }
    return measures;
  };
  CHECK(of_losses(18).word_perplexity == std::exp(18.0 * 39));
  CHECK(of_losses(19).reasons.at("word_perplexity") == "larger than a 64-bit number can be");
  CHECK(!of_losses(19).reasons.contains("perplexity"));
  CHECK(of_losses(710).reasons.at("perplexity") == "larger than a 64-bit number can be");
}

TEST_CASE("Pieces are no words, though a document has as many of them as words") {
  TinyText text = TinyText::of_documents({40, 10}, 7);
  text.header["tokenizer"] = {{"type", "sentencepiece"}};
  const TokenScores whole = every_target(text, 2.0);
  const Measures measures = measure(text.file(), whole);
  CHECK(measures.units.words == 50);
  CHECK(*measures.word_perplexity == Approx(std::exp(2.0 * 49 / 50)));
  CHECK(measures.units.words_reason == "words of the scored documents, counted here");
  CHECK(!measure(text.file(), whole.within(0, 30)).word_perplexity);
  // Nor without a word on what the tokens are.
  text.header.erase("tokenizer");
  CHECK(measure(text.file(), whole).units.words == 50);
}

TEST_CASE("Word ids have no bytes; lossy tokenizers neither; words stay") {
  TinyText text = TinyText::of_documents({40}, 7);
  text.sizes = {std::vector<int64_t>(7, -1), std::vector<int64_t>(7, -1)};
  const Measures words = measure(text.file(), every_target(text, 2.0));
  CHECK(!words.bits_per_byte);
  CHECK(!words.bits_per_character);
  CHECK(*words.word_perplexity == Approx(std::exp(2.0)));
  CHECK(words.units.words == 39);
  CHECK(!words.reasons.at("bits_per_byte").empty());

  TinyText lossy = TinyText::of_documents({40}, 7);
  lossy.header["lossless"] = false;
  const Measures changed = measure(lossy.file(), every_target(lossy, 2.0));
  CHECK(!changed.bits_per_byte);
  CHECK(changed.word_perplexity);
  CHECK(changed.reasons.at("bits_per_byte") != words.reasons.at("bits_per_byte"));
}

TEST_CASE("Nothing scored, or a loss that is not finite: every number is null, with the reason") {
  const TinyText text = TinyText::of_documents({40}, 7);
  TokenScores broken = every_target(text, 1.0);
  broken.nll[3] = std::numeric_limits<double>::quiet_NaN();
  for (const TokenScores& scores : {TokenScores{}, broken}) {
    const Measures measures = measure(text.file(), scores);
    const nlohmann::json json = measures_json(measures);
    CHECK(json.size() == 6);
    for (const auto& [name, value] : json.items()) {
      CHECK(value.is_null());
      CHECK(!measures.reasons.at(name).empty());
    }
  }
}

TEST_CASE("Sums are in double: a million small losses keep their digits") {
  const TinyText text = TinyText::of_documents({1000001}, 256);
  const Measures measures = measure(text.file(), every_target(text, 0.1));
  CHECK(std::abs(*measures.nats_per_token - 0.1) < 1e-11);
  REQUIRE(measures.nats_interval);
  CHECK(measures.interval_blocks == "1000 tokens");
  CHECK(measures.interval_block_count == 1000);
}

}  // namespace

// Scores record by record.
#include "eval/records.h"

#include <cmath>

#include "catch.h"
#include "data/tiny_text.h"

namespace {

using lc::record_objects;

// Records of 3, 1 and 2 tokens; token 1 has two bytes and one character, token 0 none (a
// separator), token 2 one of each.
TinyText three_records() {
  TinyText text;
  text.ids = {2, 1, 0, 2, 1, 2};
  text.vocab_size = 3;
  text.sizes = {{0, 2, 1}, {0, 1, 1}};
  text.documents = {{0, 3, 3, 2, 2, "a:1"}, {3, 1, 1, 1, 1, "a:2"}, {4, 2, 3, 2, 1, "a:4"}};
  return text;
}

TEST_CASE("A record's numbers are those of its own scored tokens") {
  const auto objects = record_objects(three_records().file(), {{1, 2, 5}, {1.0, 2.0, 0.5}});
  REQUIRE(objects.size() == 3);
  const auto& first = objects[0];
  CHECK(first["record"] == 1);
  CHECK(first["name"] == "a:1");
  CHECK(first["tokens_total"] == 3);
  CHECK(first["tokens_scored"] == 2);
  CHECK(first["tokens_skipped"] == 1);
  CHECK(first["nats_per_token"].get<double>() == Approx(1.5));
  CHECK(first["perplexity"].get<double>() == Approx(std::exp(1.5)));
  CHECK(first["bits_per_token"].get<double>() == Approx(1.5 / std::log(2.0)));
  CHECK(first["bits_per_byte"].get<double>() == Approx(3 / std::log(2.0) / 2));
  CHECK(first["bits_per_character"].get<double>() == Approx(3 / std::log(2.0) / 1));
  CHECK(first["word_perplexity"].get<double>() == Approx(std::exp(3.0 / 2)));
  CHECK(objects[2]["nats_per_token"] == 0.5);
  CHECK(objects[2]["bits_per_byte"].get<double>() == Approx(0.5 / std::log(2.0)));
}

TEST_CASE("A record's number is its line's where records are lines, else that of the document") {
  TinyText text = three_records();
  const auto numbers = [&] {
    std::vector<int64_t> list;
    for (const auto& object : record_objects(text.file(), {{1, 2, 5}, {1.0, 2.0, 0.5}})) {
      list.push_back(object["record"].get<int64_t>());
    }
    return list;
  };
  CHECK(numbers() == std::vector<int64_t>{1, 2, 3});
  text.header["lines"] = {1, 2, 4};
  CHECK(numbers() == std::vector<int64_t>{1, 2, 4});
}

TEST_CASE("Tokens are words where the tokenizer's are, not where counts happen to agree") {
  TinyText text = three_records();
  text.documents[0].words = 3;
  const auto perplexity = [&](const char* type) {
    text.header["tokenizer"] = {{"type", type}};
    const auto objects = record_objects(text.file(), {{1, 2, 5}, {1.0, 2.0, 0.5}});
    return objects[0]["word_perplexity"].get<double>();
  };
  CHECK(perplexity("sentencepiece") == Approx(std::exp(3.0 / 3)));  // 3 words hold 3 nats
  CHECK(perplexity("word") == Approx(std::exp(3.0 / 2)));           // 2 words are scored
}

TEST_CASE("A record without a prediction has no numbers") {
  const auto objects = record_objects(three_records().file(), {{1, 2, 5}, {1.0, 2.0, 0.5}});
  for (const char* key : {"nats_per_token", "perplexity", "bits_per_token", "bits_per_byte",
                          "bits_per_character", "word_perplexity"}) {
    CHECK(objects[1][key].is_null());
  }
  CHECK(objects[1]["tokens_scored"] == 0);
  CHECK(objects[1]["tokens_skipped"] == 1);
}

TEST_CASE("A record that is scored in part has no word perplexity") {
  const auto objects = record_objects(three_records().file(), {{1}, {1.0}});
  CHECK(objects[0]["nats_per_token"] == 1.0);
  CHECK(objects[0]["word_perplexity"].is_null());
}

TEST_CASE("A lossy tokenizer has no bytes and characters") {
  TinyText text = three_records();
  text.header["lossless"] = false;
  const auto objects = record_objects(text.file(), {{1, 2, 5}, {1.0, 2.0, 0.5}});
  CHECK(objects[0]["bits_per_byte"].is_null());
  CHECK(objects[0]["bits_per_character"].is_null());
  CHECK_FALSE(objects[0]["word_perplexity"].is_null());
}

TEST_CASE("A loss that is not finite gives no numbers") {
  const auto objects = record_objects(three_records().file(), {{1, 2}, {1.0, INFINITY}});
  CHECK(objects[0]["nats_per_token"].is_null());
  CHECK(objects[0]["perplexity"].is_null());
}

}  // namespace

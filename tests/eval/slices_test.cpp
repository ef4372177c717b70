// Slices of scored tokens, against slow obvious versions.
#include "eval/slices/slices.h"

#include <cmath>
#include <map>
#include <numeric>
#include <sstream>

#include "core/rng.h"
#include "eval/metrics.h"
#include "eval/piece_text.h"
#include "eval/slices/buckets.h"
#include "eval/slices/slice_scores.h"

namespace {

using namespace lc;

std::vector<int64_t> targets_from_to(int64_t first, int64_t past) {
  std::vector<int64_t> targets(static_cast<size_t>(past - first));
  std::iota(targets.begin(), targets.end(), first);
  return targets;
}

std::vector<std::string> names_of(const Slicing& slicing) {
  std::vector<std::string> names;
  for (const Slice& slice : slicing.slices) names.push_back(slice.name);
  return names;
}

// The name of each target's slice.
std::vector<std::string> names_by_target(const Slicing& slicing) {
  std::vector<std::string> names;
  for (const int32_t slice : slicing.slice_of) {
    names.push_back(slicing.slices.at(static_cast<size_t>(slice)).name);
  }
  return names;
}

uint64_t draw(uint64_t seed, int64_t i) {
  return hash_bits(combine_keys(seed, static_cast<uint64_t>(i)));
}

TEST_CASE("Buckets: every number in exactly one, with its bounds in the name") {
  const Buckets buckets({100, 0, 1000, 100}, 0);
  REQUIRE(buckets.count() == 3);
  CHECK(buckets.name(0) == "0 to 99");
  CHECK(buckets.name(2) == "1,000 or more");
  CHECK(buckets.of(99) == 0);
  CHECK(buckets.of(100) == 1);
  CHECK(buckets.of(999) == 1);
  CHECK(buckets.of(1'000'000'000'000) == 2);
  CHECK(!buckets.to(2));
  // Bounds below the least number are left out.
  const Buckets doubled(powers_of_two(9), 1);
  CHECK(doubled.count() == 4);
  CHECK(doubled.name(0) == "1");
  CHECK(doubled.name(1) == "2 to 3");
  CHECK(doubled.name(3) == "8 or more");
  CHECK(powers_of_two(8) == std::vector<int64_t>{0, 1, 2, 4, 8});
  CHECK(powers_of_two(0) == std::vector<int64_t>{0});
}

TEST_CASE("Frequency is that of the word in train, whatever its tokens are") {
  PieceText train;
  train.add({"the", " cat", " the", " the", " c", "at", "\n"});
  PieceText test = train.like();
  test.add({"the", " c", "at", " do", "g", "\n", " the"});
  const PieceTokenizer tokenizer = test.tokenizer();
  const TokenFile train_file = train.file(tokenizer);
  const TokenFile file = test.file(tokenizer);
  const ReadableText text{file, tokenizer};
  const auto targets = targets_from_to(0, 7);
  const Slicing slicing =
      slice_by_frequency({text, targets}, train_file, std::vector<int64_t>{3, 1});
  CHECK(names_of(slicing) == std::vector<std::string>{"0", "1 to 2", "3 or more", "between words"});
  CHECK(names_by_target(slicing) == std::vector<std::string>{"3 or more", "1 to 2", "1 to 2", "0",
                                                             "0", "between words", "3 or more"});
}

TEST_CASE("The usual frequencies are those of the paper") {
  PieceText train("word");
  const auto add = [&train](const std::string& word, int count) {
    train.add(std::vector<std::string>(static_cast<size_t>(count), word + " "));
  };
  add("ninety-nine", 99);
  add("hundred", 100);
  add("k-1", 999);
  add("k", 1000);
  add("ten-k", 10000);
  add("more", 10001);
  PieceText test = train.like();
  test.add({"more ", "unseen ", "ninety-nine ", "hundred ", "k-1 ", "k ", "ten-k ", "more "});
  const PieceTokenizer tokenizer = test.tokenizer();
  const TokenFile file = test.file(tokenizer);
  const ReadableText text{file, tokenizer};
  const auto targets = targets_from_to(1, 8);
  const Slicing slicing = slice_by_frequency({text, targets}, train.file(tokenizer), {});
  CHECK(names_of(slicing) ==
        std::vector<std::string>{"0 to 99", "100 to 999", "1,000 to 10,000", "10,001 or more"});
  CHECK(slicing.slice_of == std::vector<int32_t>{0, 0, 1, 1, 2, 2, 3});
}

// Letters and blanks, token by token.
std::vector<std::string> letters(int64_t count, uint64_t seed) {
  const std::string alphabet = "aab  \n";
  std::vector<std::string> tokens;
  for (int64_t i = 0; i < count; ++i) {
    tokens.emplace_back(1, alphabet[draw(seed, i) % alphabet.size()]);
  }
  return tokens;
}

std::string joined(const std::vector<std::string>& tokens) {
  return std::accumulate(tokens.begin(), tokens.end(), std::string());
}

TEST_CASE("Frequencies of a random text are those of a map of its words") {
  PieceText train;
  train.add(letters(2000, 1));
  PieceText test = train.like();
  const std::vector<std::string> tokens = letters(500, 2);
  test.add(tokens);
  std::map<std::string, int64_t> counts;
  std::istringstream words(joined(letters(2000, 1)));
  for (std::string word; words >> word;) ++counts[word];
  std::vector<int64_t> bounds = {0, 1, 2, 3, 5, 8, 13, 21, 50};
  std::vector<int32_t> expected;
  for (size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i] == " " || tokens[i] == "\n") {
      expected.push_back(static_cast<int32_t>(bounds.size()));
      continue;
    }
    size_t begin = i;
    while (begin > 0 && tokens[begin - 1] != " " && tokens[begin - 1] != "\n") --begin;
    std::string word;
    for (size_t j = begin; j < tokens.size() && tokens[j] != " " && tokens[j] != "\n"; ++j) {
      word += tokens[j];
    }
    int32_t bucket = -1;
    for (const int64_t bound : bounds) bucket += counts[word] >= bound ? 1 : 0;
    expected.push_back(bucket);
  }
  const PieceTokenizer tokenizer = test.tokenizer();
  const TokenFile file = test.file(tokenizer);
  const ReadableText text{file, tokenizer};
  const auto targets = targets_from_to(1, 500);
  CHECK(slice_by_frequency({text, targets}, train.file(tokenizer), bounds).slice_of == expected);
}

TEST_CASE("First and other tokens of a word, and what stands between words") {
  const PieceText test = PieceText().add({"un", "like", "ly", "\n", " x", " y", "z", ""});
  const PieceTokenizer tokenizer = test.tokenizer();
  const TokenFile file = test.file(tokenizer);
  const ReadableText text{file, tokenizer};
  // The first token isn't scored, and its word's other tokens stay what they are.
  const auto targets = targets_from_to(1, 8);
  CHECK(slice_by_subword({text, targets}).slice_of == std::vector<int32_t>{1, 1, 2, 0, 0, 1, 2});
}

// Documents of 40, 1 and 60 random tokens.
PieceText three_documents() {
  PieceText test;
  for (const int64_t length : {40, 1, 60})
    test.add(letters(length, 10 + static_cast<uint64_t>(length)));
  return test;
}

TEST_CASE("Distances to the last occurrence are those of looking back one by one") {
  const PieceText test = three_documents();
  const std::vector<int64_t>& ids = test.text.ids;
  const PieceTokenizer tokenizer = test.tokenizer();
  const TokenFile file = test.file(tokenizer);
  const ReadableText text{file, tokenizer};
  const auto document_start = [](int64_t t) -> int64_t { return t < 40 ? 0 : t < 41 ? 40 : 41; };
  const auto targets = targets_from_to(1, 101);
  for (const Boundaries within : {Boundaries::kStream, Boundaries::kReset}) {
    const std::vector<int64_t> bounds = {1, 2, 3, 5, 20};
    std::vector<int32_t> expected;
    for (const int64_t t : targets) {
      int64_t back = t - 1;
      const int64_t start = within == Boundaries::kReset ? document_start(t) : 0;
      while (back >= start && ids[static_cast<size_t>(back)] != ids[static_cast<size_t>(t)]) --back;
      int32_t bucket = static_cast<int32_t>(bounds.size());
      if (back >= start) {
        bucket = -1;
        for (const int64_t bound : bounds) bucket += t - back >= bound ? 1 : 0;
      }
      expected.push_back(bucket);
    }
    const Slicing slicing = slice_by_recurrence({text, targets}, within, bounds);
    CHECK(slicing.slice_of == expected);
    CHECK(names_of(slicing) ==
          std::vector<std::string>{"1", "2", "3 to 4", "5 to 19", "20 or more", "not before"});
  }
}

TEST_CASE("Tokens that aren't scored are occurrences too") {
  const PieceText test = PieceText().add({"a", "b", "b", "a"});
  const PieceTokenizer tokenizer = test.tokenizer();
  const TokenFile file = test.file(tokenizer);
  const ReadableText text{file, tokenizer};
  const std::vector<int64_t> targets = {3};
  CHECK(names_by_target(slice_by_recurrence({text, targets}, Boundaries::kStream, {})) ==
        std::vector<std::string>{"2 or more"});
}

TEST_CASE("Positions count from the start of the document") {
  const PieceText test = three_documents();
  const PieceTokenizer tokenizer = test.tokenizer();
  const TokenFile file = test.file(tokenizer);
  const ReadableText text{file, tokenizer};
  const std::vector<int64_t> targets = {1, 2, 3, 4, 39, 40, 41, 42, 100};
  const Slicing slicing = slice_by_position({text, targets}, {});
  CHECK(names_of(slicing) == std::vector<std::string>{"0", "1", "2 to 3", "4 to 7", "8 to 15",
                                                      "16 to 31", "32 or more"});
  CHECK(names_by_target(slicing) == std::vector<std::string>{"1", "2 to 3", "2 to 3", "4 to 7",
                                                             "32 or more", "0", "0", "1",
                                                             "32 or more"});
}

TEST_CASE("A slice for each document that holds a target, by name or number") {
  const PieceText test = PieceText().add({"a", "b"}, "first").add({"c"}).add({"d", "e"});
  const PieceTokenizer tokenizer = test.tokenizer();
  const TokenFile file = test.file(tokenizer);
  const ReadableText text{file, tokenizer};
  const std::vector<int64_t> targets = {1, 3, 4};
  const Slicing slicing = slice_by_document({text, targets});
  CHECK(names_by_target(slicing) == std::vector<std::string>{"first", "3", "3"});
  CHECK(slicing.slices.size() == 2);
  CHECK(slicing.slices[1].document == 2);
}

// Losses that differ from token to token.
TokenScores scores_at(const std::vector<int64_t>& targets) {
  TokenScores scores{targets, {}};
  for (const int64_t t : targets) scores.nll.push_back(2 + std::sin(0.7 * static_cast<double>(t)));
  return scores;
}

TEST_CASE("Every scored token is in one slice: sums over slices are those of the whole") {
  PieceText test;
  for (int d = 0; d < 40; ++d) test.add(letters(50 + d, 20 + static_cast<uint64_t>(d)));
  const PieceTokenizer tokenizer = test.tokenizer();
  const TokenFile file = test.file(tokenizer);
  const ReadableText text{file, tokenizer};
  std::vector<int64_t> targets = targets_from_to(1, file.size());
  std::erase_if(targets, [](int64_t t) { return t % 7 == 3; });
  const TokenScores scores = scores_at(targets);
  const Measures measures = measure(file, scores);
  const SlicedText sliced{text, targets};
  for (const Slicing& slicing :
       {slice_by_frequency(sliced, file, std::vector<int64_t>{0, 3, 30}), slice_by_subword(sliced),
        slice_by_recurrence(sliced, Boundaries::kReset, {}), slice_by_position(sliced, {}),
        slice_by_document(sliced)}) {
    INFO(slicing.by);
    const SlicedScores result = score_slices(file, slicing, scores);
    REQUIRE(result.slices.size() == slicing.slices.size());
    int64_t tokens = 0;
    double nats = 0;
    int64_t bytes = 0;
    int filled = 0;
    for (const SliceScore& slice : result.slices) {
      tokens += slice.tokens;
      nats += slice.nats;
      bytes += slice.bytes.value();
      filled += slice.tokens > 0 ? 1 : 0;
    }
    CHECK(filled >= 3);
    CHECK(tokens == scores.size());
    CHECK(nats == Approx(measures.total_nats).epsilon(1e-12));
    CHECK(bytes == *measures.units.bytes);
    CHECK(*result.whole.nats_per_token() == *measures.nats_per_token);
    CHECK(*result.whole.bits_per_byte() == Approx(*measures.bits_per_byte).epsilon(1e-12));
    CHECK(result.whole.interval->low == measures.nats_interval->low);
    CHECK(result.whole.interval->high == measures.nats_interval->high);
  }
}

TEST_CASE("An interval is drawn from the blocks of the text that hold a token of the slice") {
  // 3,000 tokens in three blocks; the slice holds two tokens of the first, one of the second.
  const PieceText test = PieceText().add(letters(3001, 5));
  const PieceTokenizer tokenizer = test.tokenizer();
  const TokenFile file = test.file(tokenizer);
  const TokenScores scores = scores_at(targets_from_to(1, 3001));
  Slicing slicing;
  slicing.slices = {{"most", {}}, {"three", {}}, {"one", {}}, {"none", {}}};
  slicing.slice_of.assign(3000, 0);
  slicing.slice_of[10] = slicing.slice_of[900] = slicing.slice_of[1500] = 1;
  slicing.slice_of[20] = 2;
  const SlicedScores result = score_slices(file, slicing, scores);
  CHECK(result.blocks == "1000 tokens");
  CHECK(result.whole_blocks == "1000 tokens");
  const auto expected =
      bootstrap_interval({{scores.nll[10] + scores.nll[900], 2}, {scores.nll[1500], 1}});
  CHECK(result.slices[1].interval->low == expected->low);
  CHECK(result.slices[1].interval->high == expected->high);
  CHECK(!result.slices[2].interval);
  CHECK(*result.slices[2].nats_per_token() == scores.nll[20]);
  CHECK(!result.slices[3].nats_per_token());
  CHECK(!result.slices[3].bits_per_byte());
}

TEST_CASE("Intervals of documents and of their whole come from different blocks, each named") {
  PieceText test;
  for (int d = 0; d < 40; ++d) test.add({"a", "b", "c"});
  const PieceTokenizer tokenizer = test.tokenizer();
  const TokenFile file = test.file(tokenizer);
  const ReadableText text{file, tokenizer};
  const TokenScores scores = scores_at(targets_from_to(1, 120));
  const SlicedText sliced{text, scores.targets};
  const SlicedScores documents = score_slices(file, slice_by_document(sliced), scores);
  CHECK(documents.blocks == "1000 tokens");
  CHECK(documents.whole_blocks == "documents");
  const SlicedScores positions = score_slices(file, slice_by_position(sliced, {}), scores);
  CHECK(positions.blocks == "documents");
  CHECK(positions.whole_blocks == "documents");
}

TEST_CASE("A document's interval is that of the document alone") {
  const PieceText test =
      PieceText().add(letters(2500, 5)).add(letters(3500, 6)).add(letters(800, 7));
  const PieceTokenizer tokenizer = test.tokenizer();
  const TokenFile file = test.file(tokenizer);
  const ReadableText text{file, tokenizer};
  const TokenScores scores = scores_at(targets_from_to(1, 6800));
  const SlicedScores result = score_slices(file, slice_by_document({text, scores.targets}), scores);
  const TokenScores second = scores.within(2500, 3500);
  const Measures alone = measure(file, second);
  CHECK(result.slices[1].interval->low == alone.nats_interval->low);
  CHECK(result.slices[1].interval->high == alone.nats_interval->high);
  CHECK(*result.slices[1].nats_per_token() == *alone.nats_per_token);
  CHECK(!result.slices[2].interval);
}

TEST_CASE("A loss that is not finite leaves its slice without numbers, and no other") {
  const PieceText test = three_documents();
  const PieceTokenizer tokenizer = test.tokenizer();
  const TokenFile file = test.file(tokenizer);
  const ReadableText text{file, tokenizer};
  TokenScores scores = scores_at(targets_from_to(1, 101));
  scores.nll[5] = INFINITY;
  const SlicedScores result = score_slices(file, slice_by_document({text, scores.targets}), scores);
  CHECK(!result.slices[0].nats_per_token());
  CHECK(!result.slices[0].interval);
  CHECK(result.slices[2].nats_per_token());
  CHECK(!result.whole.nats_per_token());
}

TEST_CASE("Tokens without bytes of their own have no bits per byte") {
  TinyText words = TinyText::of_documents({40}, 7);
  words.sizes = {std::vector<int64_t>(7, -1), std::vector<int64_t>(7, -1)};
  Slicing slicing;
  slicing.slices = {{"all", {}}};
  slicing.slice_of.assign(39, 0);
  const TokenScores scores = scores_at(targets_from_to(1, 40));
  CHECK(!score_slices(words.file(), slicing, scores).slices[0].bytes);
  TinyText lossy = TinyText::of_documents({40}, 7);
  lossy.header["lossless"] = false;
  CHECK(!score_slices(lossy.file(), slicing, scores).slices[0].bytes);
}

}  // namespace

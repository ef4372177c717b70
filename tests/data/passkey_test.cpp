// Passkey prompts by length and depth, and the corpus of toy samples.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "catch.h"
#include "data/data_fixture.h"
#include "data/passkey/toy_passkey.h"
#include "data/target_weights.h"

namespace {

using lc::PasskeyFormat;
using lc::PasskeyPrompt;

int64_t bytes(const PasskeyPrompt& prompt) { return static_cast<int64_t>(prompt.text.size()); }

std::string needle_of(const PasskeyPrompt& prompt) {
  return prompt.text.substr(static_cast<size_t>(prompt.needle_offset),
                            static_cast<size_t>(prompt.needle_end - prompt.needle_offset));
}

std::string document(const lc::TokenFile& tokens, const lc::DocumentInfo& info) {
  std::vector<int64_t> ids(static_cast<size_t>(info.tokens));
  tokens.copy(info.first_token, info.tokens, ids.data());
  return {ids.begin(), ids.end()};
}

bool says(const std::string& message, const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return message.find(word) != std::string::npos;
  });
}

TEST_CASE("A newline prompt has exactly the length asked for, whatever its key") {
  std::set<size_t> widths;
  for (uint64_t index = 0; index < 400; ++index) {
    for (const double depth : {0.0, 0.3, 1.0}) {
      const auto prompt =
          lc::passkey_prompt(PasskeyFormat::kNewline, {700, depth}, {.seed = 3, .index = index});
      widths.insert(prompt.answer.size());
      const int64_t key = std::stoll(prompt.answer);
      CHECK(bytes(prompt) == 700);
      CHECK((key >= 1 && key <= 50000));
      CHECK(std::to_string(key) == prompt.answer);
      const int64_t filler = 700 - 189 - (prompt.needle_end - prompt.needle_offset);
      CHECK(prompt.needle_offset ==
            150 + std::llround(std::floor(depth * static_cast<double>(filler) + 0.5)));
      CHECK(needle_of(prompt) == "The pass key is " + prompt.answer + ". Remember it. " +
                                     prompt.answer + " is the pass key.");
    }
  }
  CHECK(widths.size() >= 3);  // keys of several widths were seen
}

TEST_CASE("A space prompt has as many whole units as fit") {
  for (const int64_t length : {245, 334, 335, 336, 1000, 5000}) {
    for (uint64_t index = 0; index < 20; ++index) {
      const auto prompt =
          lc::passkey_prompt(PasskeyFormat::kSpace, {length, 0.5}, {.seed = 1, .index = index});
      CHECK(bytes(prompt) <= length);
      CHECK(bytes(prompt) + 90 > length);
      const int64_t fixed = 187 + prompt.needle_end - prompt.needle_offset;
      const int64_t units = (bytes(prompt) - fixed) / 90;
      CHECK((bytes(prompt) - fixed) % 90 == 0);
      CHECK(prompt.needle_offset == 149 + 90 * ((units + 1) / 2));
    }
  }
}

TEST_CASE("The shortest prompts have room for every key, and for no filler") {
  for (const auto format : {PasskeyFormat::kNewline, PasskeyFormat::kSpace, PasskeyFormat::kToy}) {
    const int64_t shortest = lc::shortest_prompt(format);
    for (uint64_t index = 0; index < 100; ++index) {
      const auto prompt = lc::passkey_prompt(format, {shortest, 1}, {.seed = 2, .index = index});
      CHECK(bytes(prompt) <= shortest);
    }
  }
  CHECK(lc::shortest_prompt(PasskeyFormat::kNewline) == 247);
  CHECK(lc::shortest_prompt(PasskeyFormat::kSpace) == 245);
  CHECK(lc::shortest_prompt(PasskeyFormat::kToy) == 17);
}

TEST_CASE("Formats go by their names") {
  for (const char* name : {"newline", "space", "toy"}) {
    CHECK(lc::name_of(lc::passkey_format(name, "--format")) == name);
  }
  try {
    lc::passkey_format("lines", "--format");
    FAIL("a format that there isn't was taken");
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kUsage);
    CHECK(says(error.what(), {"--format", "lines", "newline, space, toy"}));
  }
}

TEST_CASE("The corpus passkey makes its samples, each a document, keys of train apart") {
  const DataFixture folder;
  const auto data =
      folder.prepare({"corpus=passkey", "passkey.samples=40", "passkey.eval_samples=7",
                      "passkey.length=[[0, 40], [30, 70]]", "passkey.seed=9"});
  REQUIRE(data.splits.size() == 3);
  int64_t index = 0;
  for (const auto& [split, count] : {std::pair("train", 40), {"valid", 7}, {"test", 7}}) {
    const lc::TokenFile& tokens = data.splits.at(split);
    REQUIRE(tokens.documents().size() == static_cast<size_t>(count));
    for (const lc::DocumentInfo& info : tokens.documents()) {
      const auto keys = std::string(split) == "train" ? lc::ToyKeys::kTrain : lc::ToyKeys::kEval;
      const auto sample =
          lc::toy_sample({9, static_cast<uint64_t>(index)}, {index < 30 ? 40 : 70, keys});
      CHECK(document(tokens, info) == sample.text);
      CHECK((sample.key % 7 == 3) == (keys == lc::ToyKeys::kEval));
      ++index;
    }
  }
  CHECK(data.tokenizer->type() == "byte");
  const std::vector<std::string> again = {"corpus=passkey", "passkey.samples=40",
                                          "passkey.eval_samples=7",
                                          "passkey.length=[[0, 40], [30, 70]]", "passkey.seed=9"};
  CHECK(folder.prepare(again).cached);
  // What training counts is no part of the text.
  auto lighter = again;
  lighter.emplace_back("passkey.text_weight=0.5");
  CHECK(folder.prepare(lighter).cached);
  auto other = again;
  other.back() = "passkey.seed=10";
  CHECK_FALSE(folder.prepare(other).cached);
}

TEST_CASE("The corpus passkey refuses what doesn't fit it") {
  const DataFixture folder;
  const auto text = folder.write("text", "abc\n").string();
  const auto config_fault = [&](const std::vector<std::string>& settings,
                                const std::vector<std::string>& words) {
    const DataFixture::Fault fault = folder.fault(settings);
    UNSCOPED_INFO(fault.message);
    return fault.kind == lc::ErrorKind::kUsage && says(fault.message, words);
  };
  CHECK(config_fault({"corpus=passkey", "path=" + text},
                     {"data.path", "makes its own", "leave out"}));
  CHECK(config_fault({"corpus=passkey", "valid=" + text}, {"data.train", "makes its own"}));
  CHECK(config_fault({"corpus=passkey", "tokenizer.type=word"},
                     {"data.tokenizer.type", "word", "byte"}));
  CHECK(config_fault({"corpus=passkey", "valid_fraction=0.1"}, {"data.valid_fraction"}));
  CHECK_THROWS_AS(folder.config({"passkey.length=16"}), lc::Error);
  CHECK_THROWS_AS(folder.config({"passkey.text_weight=1.5"}), lc::Error);
}

TEST_CASE("Weights of targets go by document and place") {
  const DataFixture folder;
  const lc::TargetWeights rule =
      lc::target_weights(folder.config({"corpus=passkey", "passkey.text_weight=0.25"}));
  CHECK(rule.answer == 3);
  CHECK(rule.text == 0.25F);
  const lc::TargetWeights plain = lc::target_weights(folder.config({}));
  CHECK(plain.text == 1.0F);

  // Documents of 5, 2 and 4 tokens, and two tokens that belong to none.
  std::vector<lc::DocumentInfo> documents = {
      {0, 5, 0, 0, 0, ""}, {5, 2, 0, 0, 0, ""}, {9, 4, 0, 0, 0, ""}};
  std::vector<float> expected(13, 0.25F);
  for (const size_t t : {2, 3, 4, 5, 6, 10, 11, 12}) expected[t] = 1;
  for (size_t first = 0; first < expected.size(); ++first) {
    for (size_t count = 0; first + count <= expected.size(); ++count) {
      std::vector<float> weights(count, -1.0F);
      lc::weigh_targets(rule, documents, static_cast<int64_t>(first), weights);
      const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(first);
      CHECK(weights == std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(count)));
      lc::weigh_targets(plain, documents, static_cast<int64_t>(first), weights);
      CHECK(weights == std::vector<float>(count, 1.0F));
    }
  }
}

}  // namespace

// Passkey answers against the slow way: each prompt read alone, anew for every token.
#include <ATen/ATen.h>

#include <numeric>
#include <string>
#include <vector>

#include "catch.h"
#include "core/error.h"
#include "data/passkey/toy_passkey.h"
#include "data/tokenizers/registry.h"
#include "eval/passkey/grid.h"
#include "eval/piece_text.h"
#include "eval/tiny_model.h"
#include "generate/text_reader.h"

namespace {

using namespace lc;

constexpr int64_t kSegment = 16;

std::shared_ptr<const Tokenizer> bytes_tokenizer() {
  std::string all(256, '\0');
  std::iota(all.begin(), all.end(), '\0');
  return make_tokenizer(tokenizer_content({{"type", "byte"}, {"by_frequency", false}}, all),
                        "test");
}

// Vocabulary of bytes, weights large enough for answers to differ.
struct Reading {
  TinyModel tiny;
  std::shared_ptr<const Tokenizer> tokenizer = bytes_tokenizer();

  explicit Reading(const nlohmann::json& model) : tiny(model, at::kDouble, 256) {}
  PasskeyReader reader() const { return {*tiny.model, *tokenizer, kSegment}; }
};

std::vector<nlohmann::json> models_with_memory() {
  return {tiny_xl(9, "segment"), tiny_compressive("separate"), tiny_infini()};
}

std::vector<nlohmann::json> models() {
  std::vector<nlohmann::json> all = models_with_memory();
  all.push_back(tiny_vanilla());
  return all;
}

int64_t most_probable(const Reading& reading, const std::vector<int64_t>& tokens) {
  TextReader text(*reading.tiny.model, kSegment);
  return text.read(tokens).argmax().item<int64_t>();
}

// The model's own continuation of a prompt.
std::vector<int64_t> continuation(const Reading& reading, std::vector<int64_t> tokens,
                                  int64_t count) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < count; ++i) {
    result.push_back(most_probable(reading, tokens));
    tokens.push_back(result.back());
  }
  return result;
}

PasskeyTask task_of(const Reading& reading, PasskeyFormat format, PasskeyPlace place,
                    uint64_t index) {
  return passkey_task(*reading.tokenizer, passkey_prompt(format, place, {4, index}));
}

PasskeyOutcome slow_answer(const Reading& reading, const PasskeyTask& task) {
  PasskeyOutcome outcome;
  outcome.exact = true;
  std::vector<int64_t> tokens = task.prompt;
  for (size_t t = 0; t < task.answer.size(); ++t) {
    const bool right = most_probable(reading, tokens) == task.answer[t];
    outcome.exact = outcome.exact && right;
    outcome.digits += task.answer_digits[t];
    if (right) outcome.digits_right += task.answer_digits[t];
    tokens.push_back(task.answer[t]);
  }
  const auto said = reading.tokenizer->decode(continuation(reading, task.prompt, task.free_tokens));
  outcome.first_integer = first_integer(said) == first_integer(task.key);
  return outcome;
}

void check_same(const PasskeyOutcome& a, const PasskeyOutcome& b) {
  CHECK(a.digits == b.digits);
  CHECK(a.digits_right == b.digits_right);
  CHECK(a.exact == b.exact);
  CHECK(a.first_integer == b.first_integer);
}

TEST_CASE("Prompts read side by side are answered as each alone") {
  for (const nlohmann::json& model : models()) {
    CAPTURE(model.dump());
    const Reading reading(model);
    std::vector<PasskeyTask> tasks;
    for (uint64_t index = 0; index < 6; ++index) {
      tasks.push_back(task_of(reading, PasskeyFormat::kToy, {70, 0.2}, index));
      tasks.push_back(task_of(reading, PasskeyFormat::kNewline, {260, 0.9}, index));
    }
    // Half of the answers are what the model says, so that some are right.
    for (size_t i = 0; i < tasks.size(); i += 2) {
      tasks[i].answer = continuation(reading, tasks[i].prompt, 3);
      tasks[i].answer_digits = {1, 1, 1};
    }
    const auto outcomes = passkey_answers(reading.reader(), tasks, PasskeyMemory::kCarried);
    int64_t exact = 0;
    for (size_t i = 0; i < tasks.size(); ++i) {
      check_same(outcomes[i], slow_answer(reading, tasks[i]));
      exact += outcomes[i].exact ? 1 : 0;
    }
    CHECK(exact >= 6);
    CHECK(exact < 12);
  }
}

TEST_CASE("A wrong token costs its digits and the exact match") {
  const Reading reading(tiny_xl(9, "segment"));
  PasskeyTask task = task_of(reading, PasskeyFormat::kToy, {50, 0}, 1);
  task.answer = continuation(reading, task.prompt, 3);
  task.answer_digits = {0, 1, 2};  // a blank, a digit, a piece of two digits
  const auto right = passkey_answers(reading.reader(), {task}, PasskeyMemory::kCarried)[0];
  CHECK(right.digits == 3);
  CHECK(right.digits_right == 3);
  CHECK(right.exact);
  task.answer.back() = (task.answer.back() + 1) % 256;
  const auto wrong = passkey_answers(reading.reader(), {task}, PasskeyMemory::kCarried)[0];
  CHECK(wrong.digits_right == 1);
  CHECK_FALSE(wrong.exact);
}

TEST_CASE("The first integer is right if the model's own words begin with the key") {
  // Every token is a digit from 1 to 9, so that whatever the model says is a number.
  std::vector<std::string> digits_V;
  for (int64_t id = 0; id < 256; ++id) digits_V.push_back(std::to_string(id % 9 + 1));
  const PieceTokenizer digits(digits_V, "digits");
  for (const nlohmann::json& model : models()) {
    const Reading reading(model);
    const PasskeyReader reader{*reading.tiny.model, digits, kSegment};
    PasskeyTask task = task_of(reading, PasskeyFormat::kToy, {50, 0}, 1);
    const std::string said = digits.decode(continuation(reading, task.prompt, task.free_tokens));
    REQUIRE(said.size() == 3);
    const auto right = [&](const std::string& key) {
      task.key = key;
      return passkey_answers(reader, {task}, PasskeyMemory::kCarried)[0].first_integer;
    };
    CHECK(right(said));
    CHECK(right("0" + said));  // leading zeros aside
    CHECK_FALSE(right("7" + said));
    CHECK_FALSE(right(said + "0"));
    CHECK_FALSE(right(said.substr(0, 2)));
  }
}

TEST_CASE("Memory zeroed is the question's segment read from initial memory") {
  for (const nlohmann::json& model : models_with_memory()) {
    CAPTURE(model.dump());
    const Reading reading(model);
    std::vector<PasskeyTask> tasks;
    for (uint64_t index = 0; index < 20; ++index) {
      tasks.push_back(task_of(reading, PasskeyFormat::kToy, {70, 0}, index));
      tasks.back().answer = continuation(reading, tasks.back().prompt, 3);
      tasks.back().answer_digits = {1, 1, 1};
    }
    const auto zeroed = passkey_answers(reading.reader(), tasks, PasskeyMemory::kZeroed);
    std::vector<PasskeyTask> cut = tasks;
    // 67 tokens are read; the last stands in the segment that begins at 64.
    for (PasskeyTask& task : cut) task.prompt.erase(task.prompt.begin(), task.prompt.begin() + 64);
    const auto expected = passkey_answers(reading.reader(), cut, PasskeyMemory::kCarried);
    int64_t changed = 0;
    for (size_t i = 0; i < tasks.size(); ++i) {
      check_same(zeroed[i], expected[i]);
      changed += zeroed[i].exact ? 0 : 1;  // with memory all are exact
    }
    CHECK(changed > 0);
  }
}

TEST_CASE("Compressions are counted as the golden samples have it") {
  const Reading reading(tiny_xl(9, "segment"));
  for (const int64_t length : {20, 64, 65, 66, 128, 300}) {
    for (uint64_t index = 0; index < 30; ++index) {
      const ToySample sample = toy_sample({7, index}, {length, ToyKeys::kEval});
      const PasskeyTask task = passkey_task(*reading.tokenizer, sample.prompt());
      for (const int64_t segment : {8, 32, 1000}) {
        const int64_t needle = (sample.needle_offset + 8) / segment;
        const int64_t question = (length - 4) / segment;
        CHECK(task.compressions(segment) == question - needle);
        CHECK(task.question_start(segment) == question * segment);
      }
      CHECK(task.free_tokens == 3);
      CHECK(task.answer_digits == std::vector<int64_t>{1, 1, 1});
    }
  }
  const PasskeyTask open = task_of(reading, PasskeyFormat::kNewline, {300, 0.5}, 1);
  CHECK(open.free_tokens == 10);
  CHECK(open.answer_digits.front() == 0);  // the blank
}

TEST_CASE("The first integer of a text") {
  CHECK(first_integer(" 472. Remember 1") == "472");
  CHECK(first_integer("key 017") == "17");
  CHECK(first_integer("000") == "0");
  CHECK(first_integer("9") == "9");
  CHECK(first_integer("no number").empty());
  CHECK(first_integer("").empty());
}

TEST_CASE("A grid holds every length and depth, with the same keys in each cell") {
  const Reading reading(tiny_xl(9, "segment"));
  const PasskeyRequest request{PasskeyFormat::kToy, {40, 70}, {0, 0.5, 1}, 5, 2};
  const PasskeyGrid grid = passkey_grid(reading.reader(), request);
  REQUIRE(grid.cells.size() == 6);
  CHECK(grid.cell(1, 2).length == 70);
  CHECK(grid.cell(1, 2).depth == 1);
  CHECK(grid.cell(0, 0).tokens == 37);
  CHECK(grid.cell(1, 0).compressions == 4);  // needle ends at 8, question at 66: segments 0 and 4
  CHECK(grid.cell(1, 2).compressions == 1);  // its last byte at 61
  CHECK(grid.cell(1, 2).zeroed.has_value());
  const nlohmann::json json = grid.to_json();
  CHECK(json["cells"].size() == 6);
  CHECK(json["chance"]["digit"] == 0.1);
  CHECK(json["cells"][5]["memory_zeroed"]["exact"] == grid.cell(1, 2).zeroed->exact);
  CHECK(json["protocol"]["segment"] == kSegment);

  std::vector<PasskeyTask> tasks;
  for (uint64_t index = 0; index < 5; ++index) {
    tasks.push_back(passkey_task(*reading.tokenizer,
                                 passkey_prompt(PasskeyFormat::kToy, {70, 0.5}, {2, index})));
  }
  int64_t digits_right = 0;
  for (const auto& one : passkey_answers(reading.reader(), tasks, PasskeyMemory::kCarried)) {
    digits_right += one.digits_right;
  }
  CHECK(grid.cell(1, 1).carried.digit_accuracy == Approx(static_cast<double>(digits_right) / 15));

  const Reading windowed(tiny_vanilla());
  const PasskeyGrid without = passkey_grid(windowed.reader(), request);
  CHECK_FALSE(without.cell(0, 0).zeroed.has_value());
  CHECK(without.to_json()["cells"][0]["memory_zeroed"].is_null());
}

TEST_CASE("A request that can't be met is refused in one sentence") {
  const auto message = [](const PasskeyRequest& request) -> std::string {
    try {
      check_passkey(request);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::kUsage);
      return error.what();
    }
    return "";
  };
  CHECK(message({PasskeyFormat::kToy, {17}, {0, 1}}).empty());
  CHECK(message({PasskeyFormat::kToy, {16}, {0}}).find("16 bytes are too short") !=
        std::string::npos);
  CHECK(message({PasskeyFormat::kNewline, {246, 300}, {0}}).find("247") != std::string::npos);
  CHECK(message({PasskeyFormat::kToy, {50}, {1.25}}).find("1.25") != std::string::npos);
  CHECK(message({PasskeyFormat::kToy, {50}, {-0.5}}).find("--depths") != std::string::npos);
}

TEST_CASE("A tokenizer that can't say the key is refused") {
  const auto words = make_tokenizer(
      tokenizer_content({{"type", "word"}, {"unknown", true}}, "<eos>\n<unk>\nthe\nkey\n"), "test");
  CHECK_THROWS_AS(passkey_task(*words, passkey_prompt(PasskeyFormat::kSpace, {400, 0.5}, {1, 0})),
                  Error);
}

}  // namespace

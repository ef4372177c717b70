// Reading token by token against the slow way: the whole text read anew for every position.
#include "generate/text_reader.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "catch.h"
#include "contract/zoo.h"

namespace {

using lc::MemoryState;
using lc::MemoryUse;
using Tokens = std::vector<int64_t>;

constexpr int64_t kText = 31;
constexpr double kEqual = 1e-9;

// Log probabilities after input `last`: segments from `first` on, each folded, training memory.
at::Tensor segmented(const lc::LanguageModel& model, const at::Tensor& text_1N, int64_t first,
                     int64_t last, int64_t segment_length) {
  const c10::NoGradGuard no_gradient;
  MemoryState memory = model.initial_memory(1, MemoryUse::kTraining);
  at::Tensor log_probabilities_V;
  for (int64_t at = first; at <= last; at += segment_length) {
    const int64_t count = std::min(segment_length, last + 1 - at);
    lc::Segment segment = zoo::segment(text_1N, at, count, 0);
    segment.starts_B = {static_cast<char>(at == first)};
    auto result = model.logits(segment, std::move(memory));
    memory = std::move(result.memory);
    log_probabilities_V = result.logits_BV[0];
  }
  return log_probabilities_V;
}

// Where the window begins that input `position` is read in, by moving it step by step.
int64_t window_start(int64_t position, int64_t window) {
  int64_t start = 0;
  while (start + window <= position) start += std::max<int64_t>(window / 2, 1);
  return start;
}

at::Tensor expected(const lc::LanguageModel& model, const at::Tensor& text_1N, int64_t last,
                    int64_t segment_length) {
  const int64_t first = model.has_memory() ? 0 : window_start(last, segment_length);
  return segmented(model, text_1N, first, last, segment_length);
}

Tokens slice(const at::Tensor& text_1N, int64_t first, int64_t count) {
  const int64_t* values = text_1N.const_data_ptr<int64_t>() + first;
  return {values, values + count};
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

// Reads a prompt of that length, then token by token, and compares at every position.
double largest_difference(const lc::LanguageModel& model, const at::Tensor& text_1N, int64_t prompt,
                          int64_t segment_length) {
  lc::TextReader reader(model, segment_length);
  at::Tensor found = reader.read(slice(text_1N, 0, prompt));
  double largest = difference(found, expected(model, text_1N, prompt - 1, segment_length));
  for (int64_t i = prompt; i < kText - 1; ++i) {
    found = reader.read(slice(text_1N, i, 1));
    largest = std::max(largest, difference(found, expected(model, text_1N, i, segment_length)));
    REQUIRE(reader.position() == i + 1);
  }
  return largest;
}

}  // namespace

TEST_CASE("reading token by token equals the segmented pass, for every model", "[generate]") {
  const at::Tensor text = zoo::tokens(1, kText, 21);
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    for (const int64_t prompt : {1, 5, 6, 13, 18}) {
      CAPTURE(prompt);
      CHECK(largest_difference(*model, text, prompt, 6) < kEqual);
    }
  }
}

TEST_CASE("any segment length serves, odd ones and 1 included", "[generate]") {
  const at::Tensor text = zoo::tokens(1, kText, 22);
  for (const zoo::Variant& variant : zoo::variants()) {
    if (variant.model.at("norm") != "post") continue;
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    for (const int64_t segment_length : {1, 2, 5, 40}) {
      CAPTURE(segment_length);
      CHECK(largest_difference(*model, text, 4, segment_length) < kEqual);
    }
  }
}

TEST_CASE("pieces of any length give the same", "[generate]") {
  const at::Tensor text = zoo::tokens(1, kText, 23);
  for (const zoo::Variant& variant : zoo::variants()) {
    if (variant.model.at("norm") != "post") continue;
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    lc::TextReader reader(*model, 6);
    int64_t read = 0;
    for (const int64_t count : {2, 3, 9, 1, 12, 3}) {
      const at::Tensor found = reader.read(slice(text, read, count));
      read += count;
      CHECK(difference(found, expected(*model, text, read - 1, 6)) < kEqual);
    }
  }
}

TEST_CASE("texts side by side are read as each alone", "[generate]") {
  const at::Tensor texts = zoo::tokens(3, kText, 25);
  for (const zoo::Variant& variant : zoo::variants()) {
    if (variant.model.at("norm") != "post") continue;
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    lc::TextReader together(*model, 6, 3);
    int64_t read = 0;
    for (const int64_t count : {8, 1, 1, 7}) {
      const at::Tensor found = together.read_lanes(texts.narrow(1, read, count));
      read += count;
      for (int64_t b = 0; b < 3; ++b) {
        const at::Tensor alone = expected(*model, texts.narrow(0, b, 1), read - 1, 6);
        CHECK(difference(found[b], alone) < kEqual);
      }
    }
  }
}

TEST_CASE("a clone reads on by itself", "[generate]") {
  const at::Tensor text = zoo::tokens(1, kText, 26);
  at::Tensor other = text.clone();
  for (int64_t i = 10; i < kText; ++i) other[0][i] = (text[0][i] + 1) % zoo::kVocabulary;
  for (const zoo::Variant& variant : zoo::variants()) {
    if (variant.model.at("norm") != "post") continue;
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    lc::TextReader reader(*model, 6);
    reader.read(slice(text, 0, 10));
    lc::TextReader clone = reader.clone();
    for (int64_t i = 10; i < kText - 1; ++i) {
      CHECK(difference(clone.read(slice(other, i, 1)), expected(*model, other, i, 6)) < kEqual);
      CHECK(difference(reader.read(slice(text, i, 1)), expected(*model, text, i, 6)) < kEqual);
    }
  }
}

TEST_CASE("what was read a segment ago still counts", "[generate]") {
  // A reader that began anew at each fold would see nothing of it.
  const at::Tensor text = zoo::tokens(1, kText, 24);
  at::Tensor changed = text.clone();
  changed[0][10] = (text[0][10] + 1) % zoo::kVocabulary;
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    const auto after = [&](const at::Tensor& tokens) {
      lc::TextReader reader(*model, 6);
      reader.read(slice(tokens, 0, 12));
      return reader.read(slice(tokens, 12, 1));
    };
    CHECK(difference(after(text), after(changed)) > 1e-6);
  }
}

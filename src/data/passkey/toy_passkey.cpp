#include "data/passkey/toy_passkey.h"

#include <cmath>

#include "core/error.h"

namespace lc {
namespace {

constexpr int64_t kNumbers = 1000;
constexpr int64_t kEvalEvery = 7;
constexpr int64_t kEvalRest = 3;
constexpr int64_t kNeedle = 9;
constexpr int64_t kCycle = 90;

bool in_split(int64_t key, ToyKeys keys) {
  return (key % kEvalEvery == kEvalRest) == (keys == ToyKeys::kEval);
}

std::string digits_of(int64_t key) {
  const std::string digits = std::to_string(key);
  return std::string(static_cast<size_t>(kToyAnswer) - digits.size(), '0') + digits;
}

}  // namespace

ToySample toy_sample(SampleNumber number, const ToyShape& shape) {
  LC_CHECK(shape.length >= kShortestToy);
  SplitMix64 generator = number.generator();
  ToySample sample;
  do {
    sample.key = generator.below(kNumbers);
  } while (!in_split(sample.key, shape.keys));
  sample.phase = generator.below(kCycle);
  const int64_t room = shape.length - kShortestToy;
  sample.needle_offset =
      shape.depth ? static_cast<int64_t>(std::floor(*shape.depth * static_cast<double>(room) + 0.5))
                  : generator.below(room + 1);
  const int64_t offset = sample.needle_offset;
  const std::string digits = digits_of(sample.key);
  sample.text = endless_filler(sample.phase, offset) + "<KEY " + digits + ">" +
                endless_filler(sample.phase + offset, room - offset) + "?KEY " + digits;
  return sample;
}

PasskeyPrompt ToySample::prompt() const {
  PasskeyPrompt prompt;
  prompt.text = text.substr(0, text.size() - static_cast<size_t>(kToyAnswer));
  prompt.answer = digits_of(key);
  prompt.continuation = prompt.answer;
  prompt.needle_offset = needle_offset;
  prompt.needle_end = needle_offset + kNeedle;
  prompt.width = AnswerWidth::kFixed;
  return prompt;
}

}  // namespace lc

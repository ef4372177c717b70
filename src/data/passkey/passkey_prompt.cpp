#include "data/passkey/passkey_prompt.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "core/error.h"
#include "data/passkey/toy_passkey.h"

namespace lc {
namespace {

constexpr std::string_view kDescription =
    "There is an important info hidden inside a lot of irrelevant text. Find it and memorize "
    "them. I will quiz you about the important information there.";
constexpr std::string_view kUnit =
    "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.";
constexpr std::string_view kQuestion = "What is the pass key? The pass key is";
static_assert(kDescription.size() == 148 && kUnit.size() == 89 && kQuestion.size() == 37);

constexpr int64_t kKeys = 50000;                 // 1 .. kKeys
constexpr int64_t kUnitBytes = 90;               // with the blank after it
constexpr int64_t kNewlineBytes = 148 + 37 + 4;  // all but filler and needle
constexpr int64_t kSpaceBytes = 148 + 37 + 2;

constexpr std::array<std::pair<PasskeyFormat, const char*>, 3> kNames = {
    {{PasskeyFormat::kNewline, "newline"},
     {PasskeyFormat::kSpace, "space"},
     {PasskeyFormat::kToy, "toy"}}};

std::string needle_of(int64_t key) {
  const std::string digits = std::to_string(key);
  return "The pass key is " + digits + ". Remember it. " + digits + " is the pass key.";
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

int64_t bytes_of(const std::string& text) { return static_cast<int64_t>(text.size()); }

PasskeyPrompt with_needle(int64_t key, std::string before, const std::string& after) {
  const std::string needle = needle_of(key);
  PasskeyPrompt prompt;
  prompt.answer = std::to_string(key);
  prompt.continuation = " " + prompt.answer;
  prompt.needle_offset = bytes_of(before);
  prompt.needle_end = prompt.needle_offset + bytes_of(needle);
  prompt.text = std::move(before) + needle + after;
  return prompt;
}

std::string units(int64_t count) { return endless_filler(0, count * kUnitBytes); }

}  // namespace

std::string_view filler_unit() { return kUnit; }

std::string endless_filler(int64_t first, int64_t count) {
  std::string text(static_cast<size_t>(count), ' ');
  for (int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<size_t>((first + i) % kUnitBytes);
    if (at < kUnit.size()) text[static_cast<size_t>(i)] = kUnit[at];
  }
  return text;
}

PasskeyFormat passkey_format(const std::string& name, const std::string& flag) {
  std::string known;
  for (const auto& [format, format_name] : kNames) {
    if (name == format_name) return format;
    known += (known.empty() ? "" : ", ") + std::string(format_name);
  }
  throw Error(ErrorKind::kUsage, flag, "\"" + name + "\" is no format of passkey prompts",
              "choose one of " + known);
}

std::string name_of(PasskeyFormat format) {
  const auto found = std::find_if(kNames.begin(), kNames.end(),
                                  [&](const auto& entry) { return entry.first == format; });
  return found->second;
}

PasskeyPrompt newline_prompt(int64_t key, NewlineShape shape) {
  LC_CHECK(shape.prefix_chars >= 0 && shape.prefix_chars <= shape.filler_chars);
  const std::string after = endless_filler(0, shape.filler_chars - shape.prefix_chars);
  return with_needle(key, joined({kDescription, "\n", endless_filler(0, shape.prefix_chars), "\n"}),
                     joined({"\n", after, "\n", kQuestion}));
}

PasskeyPrompt space_prompt(int64_t key, SpaceShape shape) {
  LC_CHECK(shape.units_before >= 0 && shape.units_after >= 0);
  return with_needle(key, joined({kDescription, " ", units(shape.units_before)}),
                     joined({" ", units(shape.units_after), kQuestion}));
}

PasskeyPrompt passkey_prompt(PasskeyFormat format, PasskeyPlace place, SampleNumber number) {
  LC_CHECK(place.length >= shortest_prompt(format) && place.depth >= 0 && place.depth <= 1);
  if (format == PasskeyFormat::kToy) {
    return toy_sample(number, {place.length, ToyKeys::kEval, place.depth}).prompt();
  }
  const auto part = [&](int64_t whole) {
    return static_cast<int64_t>(std::floor(place.depth * static_cast<double>(whole) + 0.5));
  };
  const int64_t key = 1 + number.generator().below(kKeys);
  const int64_t needle = bytes_of(needle_of(key));
  if (format == PasskeyFormat::kNewline) {
    const int64_t filler = place.length - kNewlineBytes - needle;
    return newline_prompt(key, {filler, part(filler)});
  }
  const int64_t count = (place.length - kSpaceBytes - needle) / kUnitBytes;
  return space_prompt(key, {part(count), count - part(count)});
}

int64_t shortest_prompt(PasskeyFormat format) {
  const int64_t needle = bytes_of(needle_of(kKeys));
  if (format == PasskeyFormat::kToy) return kShortestToy;
  return needle + (format == PasskeyFormat::kNewline ? kNewlineBytes : kSpaceBytes);
}

PasskeyChance passkey_chance(PasskeyFormat format) {
  if (format == PasskeyFormat::kToy) return {0.1, 0.001};
  return {0.1, 1.0 / static_cast<double>(kKeys)};
}

}  // namespace lc

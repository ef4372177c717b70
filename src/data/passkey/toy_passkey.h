// The toy form of passkey retrieval: samples of a fixed length in bytes,
//
//   ...filler<KEY 472>filler...?KEY 472
//
// The filler is the published one, begun anywhere and going on after the needle where it stopped.
// Keys have three digits; those with key mod 7 = 3 (143 of 1000) are for evaluation, the others for
// training. '<', '>', '?' and digits stand nowhere else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/passkey/passkey_prompt.h"
#include "data/passkey/split_mix.h"

namespace lc {

constexpr int64_t kShortestToy = 17;  // needle, question and answer, without any filler
constexpr int64_t kToyAnswer = 3;     // bytes of the answer, the last of a sample

enum class ToyKeys { kTrain, kEval };

struct ToyShape {
  int64_t length = 0;  // bytes, the answer included; at least kShortestToy
  ToyKeys keys = ToyKeys::kTrain;
  std::optional<double> depth{};  // none: the needle's place is drawn
};

struct ToySample {
  std::string text;  // with the answer
  int64_t key = 0;
  int64_t phase = 0;  // of the filler, in its cycle of 90 bytes
  int64_t needle_offset = 0;

  PasskeyPrompt prompt() const;
};

// A pure function: key, phase and, without a depth, the needle's place are drawn in that order.
ToySample toy_sample(SampleNumber number, const ToyShape& shape);

}  // namespace lc

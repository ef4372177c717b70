// Passkey retrieval over prompt lengths and depths of the needle.
//
// Every cell has the same samples by number: (seed, 0), (seed, 1), ..., so that cells differ by
// length and depth alone. Toy keys are those that training never has. Beside the scores stand those
// with memory zeroed, as they are when the question's segment begins from initial memory: what is
// left of them was not remembered, but read again, or guessed. A model without memory has none to
// zero.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "eval/passkey/answers.h"

namespace lc {

struct PasskeyRequest {
  PasskeyFormat format = PasskeyFormat::kToy;
  std::vector<int64_t> lengths;  // bytes, ascending
  std::vector<double> depths;    // ascending, in [0, 1]
  int64_t samples = 1;           // of each cell
  uint64_t seed = 1;
};

// Error(kUsage) that names the flag: nothing asked for, a length without room for every key, a
// depth outside of [0, 1].
void check_passkey(const PasskeyRequest& request);

// Shares of 1.
struct PasskeyScores {
  double digit_accuracy = 0;  // of all digits of the cell's answers
  double exact = 0;           // of its samples, as is first_integer
  double first_integer = 0;
};

struct PasskeyCell {
  int64_t length = 0;
  double depth = 0;
  int64_t samples = 0;
  double tokens = 0;        // of a prompt, on average
  double compressions = 0;  // between needle and question, on average
  PasskeyScores carried{};
  std::optional<PasskeyScores> zeroed{};
};

struct PasskeyGrid {
  PasskeyRequest request;
  PasskeyChance chance{};
  std::vector<PasskeyCell> cells;  // by length, then depth
  nlohmann::json protocol = nlohmann::json::object();

  const PasskeyCell& cell(size_t length, size_t depth) const;
  // {format, chance {digit, exact}, cells [{length, depth, samples, tokens, compressions,
  // digit_accuracy, exact, first_integer, memory_zeroed {the last three} | null}], protocol}.
  nlohmann::json to_json() const;
};

// Checks the request first; what passkey_task() and passkey_answers() throw.
PasskeyGrid passkey_grid(const PasskeyReader& reader, const PasskeyRequest& request);

}  // namespace lc

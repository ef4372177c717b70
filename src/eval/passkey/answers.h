// What a model answers to passkey prompts.
//
// digits, exact: the answer is given token by token, and the most probable token is looked at each
// time. A digit is right if the token that holds it is; exact: all tokens of the answer are.
// first integer: the model goes on by itself, always with the most probable token; right if the
// first run of digits in its text is the key (as the Landmark Attention test has it), leading zeros
// aside. It may go on for 10 tokens, or as many as the answer has and one more if that is more;
// where the answer has a fixed width, for the tokens of the answer.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "eval/passkey/task.h"
#include "models/language_model.h"

namespace lc {

struct PasskeyOutcome {
  int64_t digits = 0;
  int64_t digits_right = 0;
  bool exact = false;
  bool first_integer = false;
};

enum class PasskeyMemory {
  kCarried,  // the prompt is read whole
  kZeroed,   // only from the question's segment on, which begins from initial memory
};

// What reads and what its tokens say; both outlive the use.
struct PasskeyReader {
  const LanguageModel& model;
  const Tokenizer& tokenizer;
  int64_t segment_length;  // of a model without memory its window
};

// In the order of the tasks; those of equal length are read side by side. Error(kRuntime) if the
// model's probabilities are not numbers.
std::vector<PasskeyOutcome> passkey_answers(const PasskeyReader& reader,
                                            const std::vector<PasskeyTask>& tasks,
                                            PasskeyMemory memory);

// The first run of digits in a text without its leading zeros ("0" for none but zeros); empty where
// there is no digit.
std::string_view first_integer(std::string_view text);

}  // namespace lc

// A passkey prompt as a model reads it: in tokens of the run's tokenizer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/passkey/passkey_prompt.h"
#include "data/tokenizers/tokenizer.h"

namespace lc {

// Prompt and answer are cut where their common encoding first differs from that of the prompt
// alone, so that a tokenizer may join the last word and the answer in its own way.
struct PasskeyTask {
  std::vector<int64_t> prompt;
  std::vector<int64_t> answer;
  std::vector<int64_t> answer_digits;  // digits that each token of the answer holds
  int64_t needle_last = 0;             // token of the prompt in which the needle ends
  int64_t free_tokens = 0;             // that a model may go on for by itself: see answers.h
  std::string key;                     // digits

  // Segments from the needle's end to the input that the answer's first token is predicted from, in
  // segments of that length counted from the prompt's beginning: how often what was read of the
  // needle is taken from one segment's memory into the next.
  int64_t compressions(int64_t segment_length) const;
  // The first token of the segment in which that input stands.
  int64_t question_start(int64_t segment_length) const;
};

// Error(kUsage) if the tokenizer can't say the digits of the key, as a vocabulary of words may not.
PasskeyTask passkey_task(const Tokenizer& tokenizer, const PasskeyPrompt& prompt);

}  // namespace lc

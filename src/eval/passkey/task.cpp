#include "eval/passkey/task.h"

#include <algorithm>

#include "core/error.h"

namespace lc {
namespace {

constexpr int64_t kFreeTokens = 10;  // as the Landmark Attention test gives

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int64_t last_of(const std::vector<int64_t>& tokens) {
  return static_cast<int64_t>(tokens.size()) - 1;
}

}  // namespace

int64_t PasskeyTask::compressions(int64_t segment_length) const {
  return last_of(prompt) / segment_length - needle_last / segment_length;
}

int64_t PasskeyTask::question_start(int64_t segment_length) const {
  return last_of(prompt) / segment_length * segment_length;
}

PasskeyTask passkey_task(const Tokenizer& tokenizer, const PasskeyPrompt& prompt) {
  const std::vector<int64_t> alone = tokenizer.encode(prompt.text);
  const std::vector<int64_t> whole = tokenizer.encode(prompt.text + prompt.continuation);
  const auto border = std::mismatch(alone.begin(), alone.end(), whole.begin(), whole.end()).second;
  PasskeyTask task;
  task.prompt.assign(whole.begin(), border);
  task.answer.assign(border, whole.end());
  task.key = prompt.answer;
  std::string digits;
  for (const int64_t id : task.answer) {
    const std::string text = tokenizer.token_text(id);
    task.answer_digits.push_back(std::count_if(text.begin(), text.end(), is_digit));
    std::copy_if(text.begin(), text.end(), std::back_inserter(digits), is_digit);
  }
  if (task.prompt.empty() || digits != prompt.answer) {
    throw Error(ErrorKind::kUsage, "passkey",
                "the run's tokenizer of type " + tokenizer.type() +
                    " has no tokens for the number " + prompt.answer,
                "evaluate a run whose tokens are bytes or pieces of words");
  }
  const auto end = static_cast<size_t>(prompt.needle_end);
  task.needle_last =
      std::min(last_of(tokenizer.encode(prompt.text.substr(0, end))), last_of(task.prompt));
  const auto tokens = static_cast<int64_t>(task.answer.size());
  task.free_tokens =
      prompt.width == AnswerWidth::kFixed ? tokens : std::max(kFreeTokens, tokens + 1);
  return task;
}

}  // namespace lc

#include "eval/passkey/answers.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/error.h"
#include "generate/text_reader.h"

namespace lc {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr int64_t kPromptTokensAtOnce = 8192;
constexpr int64_t kMostLanes = 64;

using Batch = std::vector<size_t>;  // indices of tasks that are read side by side

// Tasks whose prompts and answers are equally long, at most so many at a time.
std::vector<Batch> batches(const std::vector<PasskeyTask>& tasks, int64_t most) {
  std::map<std::pair<size_t, size_t>, Batch> by_shape;
  for (size_t i = 0; i < tasks.size(); ++i) {
    by_shape[{tasks[i].prompt.size(), tasks[i].answer.size()}].push_back(i);
  }
  std::vector<Batch> result;
  for (const auto& [shape, all] : by_shape) {
    for (size_t begin = 0; begin < all.size(); begin += static_cast<size_t>(most)) {
      const size_t end = std::min(all.size(), begin + static_cast<size_t>(most));
      result.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(begin),
                          all.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }
  return result;
}

std::vector<int64_t> most_probable_B(const at::Tensor& log_probabilities_BV) {
  if (log_probabilities_BV.isnan().any().item<bool>()) {
    throw Error(ErrorKind::kRuntime, "the model", "gives probabilities that are not numbers",
                "take an earlier checkpoint: the training of this one has diverged");
  }
  const at::Tensor best_B = log_probabilities_BV.argmax(1).to(at::kCPU).contiguous();
  const int64_t* ids = best_B.const_data_ptr<int64_t>();
  return {ids, ids + best_B.numel()};
}

// One token a lane.
at::Tensor column(const std::vector<int64_t>& ids_B) {
  return at::tensor(ids_B, at::kLong).unsqueeze(1);
}

// One batch, its prompts read.
class Answering {
 public:
  Answering(const PasskeyReader& reader, const std::vector<PasskeyTask>& tasks, Batch batch)
      : reader_(reader), tasks_(tasks), batch_(std::move(batch)) {}

  void run(PasskeyMemory memory, std::vector<PasskeyOutcome>& outcomes) {
    TextReader text(reader_.model, reader_.segment_length, static_cast<int64_t>(batch_.size()));
    const at::Tensor first_BV = text.read_lanes(prompts_BT(memory));
    follow(text.clone(), first_BV, outcomes);
    go_on(std::move(text), first_BV, outcomes);
  }

 private:
  const PasskeyTask& task(size_t lane) const { return tasks_[batch_[lane]]; }

  at::Tensor prompts_BT(PasskeyMemory memory) const {
    const int64_t first =
        memory == PasskeyMemory::kZeroed ? task(0).question_start(reader_.segment_length) : 0;
    std::vector<at::Tensor> rows;
    for (size_t lane = 0; lane < batch_.size(); ++lane) {
      rows.push_back(at::tensor(task(lane).prompt, at::kLong).slice(0, first));
    }
    return at::stack(rows);
  }

  // The answer is given.
  void follow(TextReader text, at::Tensor next_BV, std::vector<PasskeyOutcome>& outcomes) const {
    const size_t length = task(0).answer.size();
    for (const size_t i : batch_) outcomes[i].exact = true;
    for (size_t t = 0; t < length; ++t) {
      const std::vector<int64_t> best_B = most_probable_B(next_BV);
      std::vector<int64_t> given_B;
      for (size_t lane = 0; lane < batch_.size(); ++lane) {
        PasskeyOutcome& outcome = outcomes[batch_[lane]];
        const int64_t digits = task(lane).answer_digits[t];
        given_B.push_back(task(lane).answer[t]);
        const bool right = best_B[lane] == given_B.back();
        outcome.digits += digits;
        outcome.digits_right += right ? digits : 0;
        outcome.exact = outcome.exact && right;
      }
      if (t + 1 < length) next_BV = text.read_lanes(column(given_B));
    }
  }

  // The model's own words.
  void go_on(TextReader text, at::Tensor next_BV, std::vector<PasskeyOutcome>& outcomes) const {
    std::vector<std::vector<int64_t>> said_B(batch_.size());
    for (int64_t left = task(0).free_tokens; left > 0; --left) {
      const std::vector<int64_t> best_B = most_probable_B(next_BV);
      bool settled = true;
      for (size_t lane = 0; lane < batch_.size(); ++lane) {
        said_B[lane].push_back(best_B[lane]);
        settled = settled && holds_whole_integer(said_B[lane]);
      }
      if (settled || left == 1) break;
      next_BV = text.read_lanes(column(best_B));
    }
    for (size_t lane = 0; lane < batch_.size(); ++lane) {
      const std::string said = reader_.tokenizer.decode(said_B[lane]);
      outcomes[batch_[lane]].first_integer = first_integer(said) == first_integer(task(lane).key);
    }
  }

  // Whether the first integer can't grow any more.
  bool holds_whole_integer(const std::vector<int64_t>& said) const {
    const std::string text = reader_.tokenizer.decode(said);
    const size_t begin = text.find_first_of(kDigits);
    return begin != std::string::npos &&
           text.find_first_not_of(kDigits, begin) != std::string::npos;
  }

  const PasskeyReader& reader_;
  const std::vector<PasskeyTask>& tasks_;
  Batch batch_;
};

}  // namespace

std::string_view first_integer(std::string_view text) {
  const size_t begin = text.find_first_of(kDigits);
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin);
  text = text.substr(0, text.find_first_not_of(kDigits));
  const size_t zeros = std::min(text.find_first_not_of('0'), text.size() - 1);
  return text.substr(zeros);
}

std::vector<PasskeyOutcome> passkey_answers(const PasskeyReader& reader,
                                            const std::vector<PasskeyTask>& tasks,
                                            PasskeyMemory memory) {
  std::vector<PasskeyOutcome> outcomes(tasks.size());
  const int64_t most =
      std::clamp<int64_t>(kPromptTokensAtOnce / reader.segment_length, 1, kMostLanes);
  for (Batch& batch : batches(tasks, most)) {
    Answering(reader, tasks, std::move(batch)).run(memory, outcomes);
  }
  return outcomes;
}

}  // namespace lc

#include "data/tokenizers/sentencepiece_training.h"

#include <sentencepiece_trainer.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "core/log.h"
#include "core/rng.h"

namespace lc {
namespace {

constexpr size_t kLongestSentence = 4000;  // longer lines are cut

// Lines of the text, drawn by a hash of their number, without their newlines.
class Sample {
 public:
  Sample(const SentencePieceTraining& training, int64_t text_bytes)
      : training_(training),
        rate_(static_cast<double>(training.sample_bytes) /
              static_cast<double>(std::max<int64_t>(text_bytes, 1))) {}

  void add(std::string_view piece) {
    if (piece.empty()) return give();
    while (!piece.empty()) {
      const size_t end = piece.find('\n');
      line_ += piece.substr(0, end);
      while (line_.size() > kLongestSentence) cut();
      if (end == std::string_view::npos) return;
      give();
      piece.remove_prefix(end + 1);
    }
  }
  std::vector<std::string> take() {
    give();
    return std::move(sentences_);
  }

 private:
  // At the last space within reach, else between two characters.
  void cut() {
    size_t at = line_.rfind(' ', kLongestSentence);
    if (at == std::string::npos || at == 0) {
      at = kLongestSentence;
      while (at > 1 && (static_cast<unsigned char>(line_[at]) & 0xC0) == 0x80) --at;
    }
    std::string rest = line_.substr(at);
    line_.resize(at);
    give();
    line_ = std::move(rest);
  }
  void give() {
    const uint64_t key = combine_keys(training_.seed, number_++);
    const bool room = bytes_ < training_.sample_bytes;
    if (!line_.empty() && room && uniform_from_bits(hash_bits(key)) < rate_) {
      bytes_ += static_cast<int64_t>(line_.size());
      sentences_.push_back(std::move(line_));
    }
    line_.clear();
  }

  const SentencePieceTraining& training_;
  double rate_;
  std::string line_;
  uint64_t number_ = 0;
  int64_t bytes_ = 0;
  std::vector<std::string> sentences_;
};

class SentenceList : public sentencepiece::SentenceIterator {
 public:
  explicit SentenceList(const std::vector<std::string>& sentences) : sentences_(sentences) {}
  bool done() const override { return next_ >= sentences_.size(); }
  void Next() override { ++next_; }
  const std::string& value() const override { return sentences_[next_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const std::vector<std::string>& sentences_;
  size_t next_ = 0;
};

// The library's own words, without the place in its source that stands before them.
std::string reason_in(const std::string& status) {
  std::string reason = status.substr(status.rfind(']') + 1);
  while (!reason.empty() && (reason.back() == '.' || reason.back() == ' ')) reason.pop_back();
  const size_t first = reason.find_first_not_of(' ');
  return first == std::string::npos ? "no reason given" : reason.substr(first);
}

}  // namespace

std::string train_sentencepiece(const SentencePieceTraining& training, const TrainingText& text) {
  Sample sample(training, text.train_bytes);
  text.train([&](std::string_view piece) { sample.add(piece); });
  const std::vector<std::string> sentences = sample.take();
  log_info("training a SentencePiece model (" + training.algorithm + ", " +
           std::to_string(training.vocab_size) + " pieces) on " + std::to_string(sentences.size()) +
           " lines");
  const std::unordered_map<std::string, std::string> settings = {
      {"model_type", training.algorithm},
      {"vocab_size", std::to_string(training.vocab_size)},
      {"normalization_rule_name", "identity"},
      {"remove_extra_whitespaces", "false"},
      {"add_dummy_prefix", "false"},
      {"allow_whitespace_only_pieces", "true"},
      {"byte_fallback", "true"},
      {"user_defined_symbols", "\n"},
      {"max_sentence_length", std::to_string(2 * kLongestSentence)},
      {"num_threads", "4"},  // fixed, since sums depend on it
      {"minloglevel", "3"},
  };
  SentenceList list(sentences);
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &list, &model);
  if (!status.ok()) {
    throw Error(ErrorKind::kUsage, "data.tokenizer.vocab_size",
                std::to_string(training.vocab_size) + " pieces can't be trained on this text (" +
                    reason_in(status.ToString()) + ")",
                "choose another size; 256 are bytes, and small texts have few pieces");
  }
  return model;
}

}  // namespace lc

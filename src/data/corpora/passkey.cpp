// Toy passkey samples (data/passkey/toy_passkey.h), made here: one a document. Sample i of the
// series is (data.passkey.seed, i), the needle's place drawn. train holds samples 0, 1, ..., valid
// and test those after it, with keys that train never has. What training counts: each digit of the
// answer 1, every other token data.passkey.text_weight.
#include <algorithm>
#include <memory>
#include <utility>

#include "core/error.h"
#include "data/corpora/corpus.h"
#include "data/passkey/toy_passkey.h"

namespace lc {
namespace {

constexpr const char* kSamples = "data.passkey.samples";
constexpr const char* kEvalSamples = "data.passkey.eval_samples";
constexpr const char* kLength = "data.passkey.length";
constexpr const char* kSeed = "data.passkey.seed";
constexpr const char* kTextWeight = "data.passkey.text_weight";

// Samples [first, first + count) of the series.
struct Samples {
  ToyKeys keys;
  int64_t first;
  int64_t count;
  uint64_t seed;
  nlohmann::json length;  // a schedule over the series
};

// A line for each sample.
class SampleStream : public ByteStream {
 public:
  explicit SampleStream(Samples samples) : samples_(std::move(samples)) {}

  size_t read(char* out, size_t capacity) override {
    size_t written = 0;
    while (written < capacity) {
      if (at_ == line_.size() && !next_line()) break;
      const size_t count = line_.copy(out + written, capacity - written, at_);
      at_ += count;
      written += count;
    }
    return written;
  }

 private:
  bool next_line() {
    if (made_ == samples_.count) return false;
    const int64_t index = samples_.first + made_++;
    line_ = toy_sample({samples_.seed, static_cast<uint64_t>(index)},
                       {scheduled_value(samples_.length, index), samples_.keys})
                .text +
            "\n";
    at_ = 0;
    return true;
  }

  Samples samples_;
  int64_t made_ = 0;
  std::string line_;
  size_t at_ = 0;
};

InputFile made_file(const std::string& split, const Samples& samples) {
  return {"passkey " + split, "", split,
          [samples] { return std::make_unique<SampleStream>(samples); }};
}

FilesBySplit generate(const Config& config) {
  if (const auto type = config.get<std::string>("data.tokenizer.type"); type != "byte") {
    throw Error(ErrorKind::kUsage, "data.tokenizer.type",
                "\"" + type + "\" doesn't fit the corpus passkey, whose samples are made of bytes",
                "set it to \"byte\"");
  }
  const auto train = config.get<int64_t>(kSamples);
  const auto each = config.get<int64_t>(kEvalSamples);
  const auto samples = [&](ToyKeys keys, int64_t first, int64_t count) {
    return Samples{keys, first, count, config.get<uint64_t>(kSeed), config.at(kLength)};
  };
  FilesBySplit files;
  files["train"] = {made_file("train", samples(ToyKeys::kTrain, 0, train))};
  files["valid"] = {made_file("valid", samples(ToyKeys::kEval, train, each))};
  files["test"] = {made_file("test", samples(ToyKeys::kEval, train + each, each))};
  return files;
}

}  // namespace

CorpusKind passkey_corpus() {
  CorpusKind kind;
  kind.name = "passkey";
  kind.says = "made here: toy passkey samples, one a document (data.passkey)";
  kind.documents = DocumentRule::kLine;
  kind.generate = generate;
  kind.options = {
      Option::integer(kSamples, 20000).at_least(1).in("samples").says("Samples of train."),
      Option::integer(kEvalSamples, 500)
          .at_least(1)
          .in("samples")
          .says("Samples of valid and of test, each."),
      Option::schedule(kLength, 64)
          .at_least(static_cast<double>(kShortestToy))
          .in("bytes")
          .says("Length of a sample; a number, or [[from_sample, number], ...]."),
      Option::integer(kSeed, 1).at_least(0).says("Seed of the samples."),
      Option::number(kTextWeight, 0.1)
          .at_least(0)
          .at_most(1)
          .says("What a token counts in the training loss that is no digit of the answer, which "
                "counts 1."),
  };
  kind.target_weights = [](const Config& config) {
    return TargetWeights{kToyAnswer, static_cast<float>(config.get<double>(kTextWeight))};
  };
  return kind;
}

}  // namespace lc

#include "data/corpora/corpus.h"
#include "data/prepare.h"
#include "data/tokenizers/registry.h"

namespace lc {
namespace {

constexpr int64_t kSampleBytes = 20'000'000;

template <typename Kinds>
std::vector<std::string> names_of(const Kinds& kinds) {
  std::vector<std::string> names;
  for (const auto& kind : kinds) names.push_back(kind.name);
  return names;
}

template <typename Kinds>
std::string described(const Kinds& kinds) {
  std::string text;
  for (const auto& kind : kinds) {
    text += (text.empty() ? "" : "; ") + kind.name + ": " + kind.says;
  }
  return text + ".";
}

Option files_of(const std::string& split) {
  return Option::list("data." + split, OptionType::kTextList, nullptr)
      .or_null()
      .says("Files, folders or glob patterns of the " + split + " split, instead of data.path.");
}

Option fraction(const std::string& split) {
  return Option::number("data." + split + "_fraction", nullptr)
      .at_least(0)
      .less_than(1)
      .or_null()
      .says("Part of a text without splits that becomes " + split + "; null: 0.05.");
}

}  // namespace

std::vector<Option> tokenizer_options() {
  return {
      Option::choice("data.tokenizer.type", "byte", names_of(tokenizer_kinds()))
          .architecture()
          .says(described(tokenizer_kinds())),
      Option::text("data.tokenizer.model", nullptr)
          .or_null()
          .architecture()
          .says("A SentencePiece .model file to use; null: one is trained on the train split."),
      Option::choice("data.tokenizer.algorithm", "unigram", {"unigram", "bpe"})
          .architecture()
          .says("What a SentencePiece model trained here is."),
      Option::integer("data.tokenizer.vocab_size", 8000)
          .at_least(260)
          .at_most(1'000'000)
          .in("pieces")
          .architecture()
          .says("Size of a SentencePiece model trained here, its 256 bytes included."),
      Option::integer("data.tokenizer.sample_bytes", kSampleBytes)
          .at_least(1000)
          .in("bytes")
          .architecture()
          .says("How much of the train split a SentencePiece model is trained on."),
      Option::integer("data.tokenizer.seed", 1)
          .at_least(0)
          .architecture()
          .says("Seed of that sample."),
      Option::text("data.tokenizer.vocab_file", nullptr)
          .or_null()
          .architecture()
          .says("A vocabulary for the word tokenizer, one word a line; null: the train split's."),
      Option::choice("data.tokenizer.unknown", "error", {"error", "unk"})
          .architecture()
          .says("Words outside the vocabulary: refused, or replaced by <unk> and reported."),
  };
}

std::vector<Option> data_options() {
  std::vector<Option> options = {
      Option::choice("data.corpus", "text", names_of(corpus_kinds()))
          .says(described(corpus_kinds())),
      Option::text("data.path", nullptr)
          .or_null()
          .says("The corpus: a file, folder, archive or (text) glob pattern."),
      files_of("train"),
      files_of("valid"),
      files_of("test"),
      fraction("valid"),
      fraction("test"),
      Option::choice("data.newlines", "corpus", {"corpus", "keep", "lf"})
          .says("CR LF and CR: kept, read as LF, or as the corpus has it (pg19: lf, else keep)."),
      Option::choice("data.protocol", "exact", {"exact", "reference"})
          .architecture()
          .says("reference: tokens as the Transformer-XL reference makes them."),
      Option::choice("data.boundaries", "stream", {"stream", "reset"})
          .says("Whether memory flows over document ends or begins anew at them."),
      Option::choice("data.lane_split", "exact", {"exact", "reference"})
          .says("reference: equal lanes as the Transformer-XL reference cuts them, the rest lost."),
      Option::boolean("data.shuffle_documents", false)
          .says("Another order of documents in each epoch; only with data.boundaries reset."),
      Option::integer("data.sequence_segments", 0)
          .at_least(0)
          .at_most(kLongestLength)
          .in("segments")
          .says("Memory begins anew every so many segments; 0: never."),
      Option::text("data.cache_dir", nullptr)
          .or_null()
          .taken_on_resume()
          .says("Where prepared texts are kept; null: $LCTRAIN_CACHE, else the user's cache."),
  };
  for (const CorpusKind& kind : corpus_kinds()) {
    options.insert(options.end(), kind.options.begin(), kind.options.end());
  }
  for (Option& option : tokenizer_options()) options.push_back(std::move(option));
  return options;
}

}  // namespace lc

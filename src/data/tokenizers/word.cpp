// Words as tokens: what stands between Unicode white space, and <eos> at each line end (blank lines
// too) and at the end of an unfinished last line. Ids go by frequency in the train split, ties by
// first occurrence; reference (as kimiyoung's WikiText-103): <eos> comes first.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "core/error.h"
#include "core/file_io.h"
#include "core/utf8_stream.h"
#include "data/tokenizers/registry.h"
#include "data/tokenizers/white_space.h"

namespace lc {
namespace {

constexpr const char* kEos = "<eos>";
constexpr const char* kUnk = "<unk>";
constexpr size_t kLongestWord = 1 << 16;

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <typename V>
using ByWord = std::unordered_map<std::string, V, TextHash, std::equal_to<>>;

struct Vocabulary {
  std::vector<std::string> words_V;
  ByWord<int64_t> ids;
  int64_t eos = 0;
  int64_t unknown = -1;  // id that stands for unknown words; -1: they are refused

  Vocabulary(std::vector<std::string> words, bool takes_unknown) : words_V(std::move(words)) {
    for (size_t i = 0; i < words_V.size(); ++i) ids.emplace(words_V[i], static_cast<int64_t>(i));
    eos = ids.at(kEos);
    if (!takes_unknown) return;
    const auto [found, added] = ids.emplace(kUnk, static_cast<int64_t>(words_V.size()));
    if (added) words_V.emplace_back(kUnk);
    unknown = found->second;
  }
};

// Puts words together that come in parts. on_word(word, line), on_line(): at "\n".
template <typename OnWord, typename OnLine>
class WordCollector {
 public:
  WordCollector(OnWord on_word, OnLine on_line)
      : on_word_(std::move(on_word)), on_line_(std::move(on_line)) {}
  void begin(const std::string& document, const TextPlace& place) {
    document_ = document;
    line_ = place.lines + 1;
    open_ = false;
  }
  void add(std::string_view piece) {
    if (!piece.empty()) open_ = piece.back() != '\n';
    scanner_.add(piece, *this);
  }
  // Whether the last line was unfinished.
  bool end() {
    scanner_.end(*this);
    return std::exchange(open_, false);
  }
  const std::string& document() const { return document_; }

  void word_piece(std::string_view piece) {
    word_ += piece;
    if (word_.size() <= kLongestWord) return;
    throw Error(ErrorKind::kData, document_ + ", line " + std::to_string(line_),
                "has a word longer than " + std::to_string(kLongestWord) + " bytes",
                "check that it is a text of words, or use another tokenizer");
  }
  void word_end() {
    on_word_(std::string_view(word_), line_);
    word_.clear();
  }
  void line_end() {
    ++line_;
    on_line_();
  }

 private:
  OnWord on_word_;
  OnLine on_line_;
  WordScanner scanner_;
  std::string word_;
  std::string document_;
  int64_t line_ = 1;
  bool open_ = false;
};

class WordEncoder : public DocumentEncoder {
 public:
  explicit WordEncoder(const Vocabulary& vocabulary)
      : vocabulary_(vocabulary),
        collector_([this](std::string_view word, int64_t line) { give(word, line); },
                   [this] { out_->push_back(vocabulary_.eos); }) {
    report_.lossless = false;
    report_.lossy_reason = "words don't keep the white space between them";
  }
  void begin_at(const std::string& document, const TextPlace& place) override {
    collector_.begin(document, place);
  }
  void add(std::string_view piece, std::vector<int64_t>& ids) override {
    out_ = &ids;
    collector_.add(piece);
  }
  void end(DocumentEnd how, std::vector<int64_t>& ids) override {
    out_ = &ids;
    const bool unfinished = collector_.end();
    if (unfinished && how == DocumentEnd::kSeparator) ids.push_back(vocabulary_.eos);
  }
  const EncodingReport& report() const override { return report_; }

 private:
  void give(std::string_view word, int64_t line) {
    const auto found = vocabulary_.ids.find(word);
    if (found != vocabulary_.ids.end()) return out_->push_back(found->second);
    if (vocabulary_.unknown < 0) {
      throw Error(ErrorKind::kData, collector_.document() + ", line " + std::to_string(line),
                  "has the word \"" + beginning_of(word, kShownBytes) +
                      "\", which the vocabulary doesn't have",
                  "use words of the vocabulary, or prepare and train with data.tokenizer.unknown "
                  "\"unk\", which replaces others by <unk> and makes perplexities of other "
                  "vocabularies incomparable");
    }
    ++report_.unknown;
    report_.add_example(word);
    out_->push_back(vocabulary_.unknown);
  }

  using OnWord = std::function<void(std::string_view, int64_t)>;
  using OnLine = std::function<void()>;

  const Vocabulary& vocabulary_;
  WordCollector<OnWord, OnLine> collector_;
  EncodingReport report_;
  std::vector<int64_t>* out_ = nullptr;
};

class WordTokenizer : public Tokenizer {
 public:
  explicit WordTokenizer(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

  std::string type() const override { return "word"; }
  int64_t vocab_size() const override { return static_cast<int64_t>(vocabulary_.words_V.size()); }
  std::string content() const override {
    std::string payload;
    for (const std::string& word : vocabulary_.words_V) payload += word + "\n";
    return tokenizer_content({{"type", "word"}, {"unknown", vocabulary_.unknown >= 0}}, payload);
  }
  std::unique_ptr<DocumentEncoder> encoder() const override {
    return std::make_unique<WordEncoder>(vocabulary_);
  }
  std::string token_text(int64_t id) const override {
    return id == vocabulary_.eos ? "\n" : vocabulary_.words_V.at(static_cast<size_t>(id)) + " ";
  }
  TokenSizes token_sizes() const override { return {}; }
  nlohmann::json description() const override {
    return {{"type", "word"},
            {"vocab_size", vocab_size()},
            {"eos_id", vocabulary_.eos},
            {"unknown", vocabulary_.unknown >= 0 ? "unk" : "error"},
            {"unknown_id", vocabulary_.unknown}};
  }

 private:
  Vocabulary vocabulary_;
};

std::vector<std::string> count_words(const TrainingText& text, bool eos_first) {
  struct Seen {
    int64_t count = 0;
    int64_t first = 0;
  };
  ByWord<Seen> seen;
  int64_t position = 0;
  const auto count = [&](std::string_view word) {
    auto found = seen.find(word);
    if (found == seen.end()) found = seen.emplace(word, Seen{0, position}).first;
    ++found->second.count;
    ++position;
  };
  WordCollector collector([&](std::string_view word, int64_t) { count(word); },
                          [&] { count(kEos); });
  collector.begin("the train split", {});
  text.train([&](std::string_view piece) {
    if (!piece.empty()) return collector.add(piece);
    if (collector.end()) count(kEos);
  });
  if (eos_first) seen[kEos].first = -1;
  std::vector<std::pair<std::string_view, Seen>> order(seen.begin(), seen.end());
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (eos_first && (a.first == kEos) != (b.first == kEos)) return a.first == kEos;
    return a.second.count != b.second.count ? a.second.count > b.second.count
                                            : a.second.first < b.second.first;
  });
  std::vector<std::string> words;
  for (const auto& entry : order) words.emplace_back(entry.first);
  return words;
}

// A word a line; what follows it after white space (a count) is passed over.
std::vector<std::string> read_words(const std::string& content, const std::string& source) {
  std::vector<std::string> words;
  ByWord<int64_t> lines;
  int64_t line = 0;
  for (std::string_view rest = content; !rest.empty();) {
    const std::string_view whole = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), whole.size() + 1));
    ++line;
    const std::string word(whole.substr(0, whole.find_first_of(" \t\r")));
    if (word.empty() && rest.empty()) break;
    const auto [earlier, added] = lines.emplace(word, line);
    if (word.empty() || !added) {
      throw Error(ErrorKind::kData, source + ", line " + std::to_string(line),
                  word.empty() ? "has no word"
                               : "has the word \"" + word + "\" of line " +
                                     std::to_string(earlier->second) + " again",
                  "give a vocabulary with one different word a line");
    }
    words.push_back(word);
  }
  if (!lines.contains(kEos)) {
    throw Error(ErrorKind::kData, source,
                "has no <eos> among its " + std::to_string(words.size()) + " words",
                "add a line <eos>, at the place that its id asks for");
  }
  return words;
}

std::shared_ptr<const Tokenizer> build_word(const Config& config, const TrainingText& text) {
  std::vector<std::string> words;
  if (config.is_null("data.tokenizer.vocab_file")) {
    words = count_words(text, config.get<std::string>("data.protocol") == "reference");
  } else {
    const auto path = config.get<std::string>("data.tokenizer.vocab_file");
    words = read_words(read_file(path), path);
  }
  const bool takes_unknown = config.get<std::string>("data.tokenizer.unknown") == "unk";
  return std::make_shared<WordTokenizer>(Vocabulary(std::move(words), takes_unknown));
}

}  // namespace

TokenizerKind word_tokenizer() {
  TokenizerKind kind;
  kind.name = "word";
  kind.says = "what stands between white space is a token, and <eos> at line ends";
  kind.build = build_word;
  kind.load = [](const nlohmann::json& head, std::string_view payload, const std::string& source) {
    return std::shared_ptr<const Tokenizer>(std::make_shared<WordTokenizer>(
        Vocabulary(read_words(std::string(payload), source), head.value("unknown", false))));
  };
  kind.files = [](const Config& config) {
    return config.is_null("data.tokenizer.vocab_file")
               ? nlohmann::json()
               : nlohmann::json(
                     sha256_of_file(config.get<std::string>("data.tokenizer.vocab_file")));
  };
  return kind;
}

}  // namespace lc

// Bytes as tokens. exact: id = byte, 256 of them. reference (as kimiyoung's enwik8 and text8): the
// newline bytes are dropped, and ids go by frequency over train, valid and test, ties by first
// occurrence.
#include <algorithm>
#include <array>
#include <numeric>

#include "core/error.h"
#include "data/tokenizers/registry.h"

namespace lc {
namespace {

constexpr int64_t kDropped = -1;
constexpr int64_t kUnseen = -2;

// The byte of each id, and whether they are the reference's: then newlines without one are dropped.
struct Symbols {
  std::string bytes_V;
  bool by_frequency = false;
};

class ByteEncoder : public DocumentEncoder {
 public:
  explicit ByteEncoder(const Symbols& symbols) {
    ids_.fill(kUnseen);
    for (size_t id = 0; id < symbols.bytes_V.size(); ++id) {
      ids_[static_cast<unsigned char>(symbols.bytes_V[id])] = static_cast<int64_t>(id);
    }
    if (symbols.by_frequency && ids_['\n'] == kUnseen) {
      ids_['\n'] = kDropped;
      report_.lossless = false;
      report_.lossy_reason = "newline bytes are dropped, as data.protocol reference asks";
    }
  }
  void begin_at(const std::string& document, const TextPlace& place) override {
    document_ = document;
    byte_ = place.bytes;
  }
  void add(std::string_view piece, std::vector<int64_t>& ids) override {
    ids.reserve(ids.size() + piece.size());
    for (const char byte : piece) {
      const int64_t id = ids_[static_cast<unsigned char>(byte)];
      if (id == kUnseen) refuse(static_cast<unsigned char>(byte));
      if (id >= 0) ids.push_back(id);
      ++byte_;
    }
  }
  void end(DocumentEnd, std::vector<int64_t>&) override {}
  const EncodingReport& report() const override { return report_; }

 private:
  [[noreturn]] void refuse(int byte) const {
    throw Error(ErrorKind::kData, document_ + ", byte " + std::to_string(byte_),
                "has the byte " + std::to_string(byte) + ", which the vocabulary doesn't have",
                "use data.protocol exact, or a text of the same kind");
  }

  std::array<int64_t, 256> ids_{};
  EncodingReport report_;
  std::string document_;
  int64_t byte_ = 0;
};

class ByteTokenizer : public Tokenizer {
 public:
  explicit ByteTokenizer(Symbols symbols) : symbols_(std::move(symbols)) {}

  std::string type() const override { return "byte"; }
  int64_t vocab_size() const override { return static_cast<int64_t>(symbols_.bytes_V.size()); }
  std::string content() const override {
    return tokenizer_content({{"type", "byte"}, {"by_frequency", symbols_.by_frequency}},
                             symbols_.bytes_V);
  }
  std::unique_ptr<DocumentEncoder> encoder() const override {
    return std::make_unique<ByteEncoder>(symbols_);
  }
  std::string token_text(int64_t id) const override {
    return {symbols_.bytes_V.at(static_cast<size_t>(id))};
  }
  TokenSizes token_sizes() const override {
    TokenSizes sizes;
    for (const char byte : symbols_.bytes_V) {
      sizes.bytes_V.push_back(1);
      sizes.characters_V.push_back((static_cast<unsigned char>(byte) & 0xC0) != 0x80 ? 1 : 0);
    }
    return sizes;
  }
  nlohmann::json description() const override {
    return {{"type", "byte"},
            {"vocab_size", vocab_size()},
            {"protocol", symbols_.by_frequency ? "reference" : "exact"}};
  }

 private:
  Symbols symbols_;
};

Symbols count_symbols(const TrainingText& text) {
  struct Seen {
    int64_t count = 0;
    int64_t first = 0;
  };
  std::array<Seen, 256> seen{};
  int64_t position = 0;
  text.all([&](std::string_view piece) {
    for (const char byte : piece) {
      Seen& symbol = seen[static_cast<unsigned char>(byte)];
      if (symbol.count++ == 0) symbol.first = position;
      ++position;
    }
  });
  seen['\n'].count = 0;
  std::vector<size_t> order;
  for (size_t byte = 0; byte < seen.size(); ++byte) {
    if (seen[byte].count > 0) order.push_back(byte);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return seen[a].count != seen[b].count ? seen[a].count > seen[b].count
                                          : seen[a].first < seen[b].first;
  });
  Symbols symbols;
  symbols.by_frequency = true;
  for (const size_t byte : order) symbols.bytes_V += static_cast<char>(byte);
  return symbols;
}

Symbols all_bytes() {
  Symbols symbols;
  symbols.bytes_V.resize(256);
  std::iota(symbols.bytes_V.begin(), symbols.bytes_V.end(), '\0');
  return symbols;
}

}  // namespace

TokenizerKind byte_tokenizer() {
  TokenizerKind kind;
  kind.name = "byte";
  kind.says = "each byte is a token";
  kind.needs_utf8 = false;
  kind.build = [](const Config& config, const TrainingText& text) {
    const bool reference = config.get<std::string>("data.protocol") == "reference";
    return std::shared_ptr<const Tokenizer>(
        std::make_shared<ByteTokenizer>(reference ? count_symbols(text) : all_bytes()));
  };
  kind.load = [](const nlohmann::json& head, std::string_view payload, const std::string&) {
    return std::shared_ptr<const Tokenizer>(std::make_shared<ByteTokenizer>(
        Symbols{std::string(payload), head.value("by_frequency", false)}));
  };
  kind.files = [](const Config&) { return nlohmann::json(); };
  return kind;
}

}  // namespace lc

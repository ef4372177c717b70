// SentencePiece models (Kudo and Richardson 2018), downloaded or trained here. A document is
// encoded on its own and </s> follows it.
//
// Models whose pieces never cross a line end (all that are trained here) are encoded line by line,
// long lines cut before a space: the same ids, in bounded memory, and without the loss of precision
// that summed float scores of long texts bring. Others take a document in one piece, up to a limit.
#include <sentencepiece_processor.h>

#include <algorithm>

#include "core/error.h"
#include "core/file_io.h"
#include "core/utf8_stream.h"
#include "data/tokenizers/registry.h"
#include "data/tokenizers/sentencepiece_training.h"

namespace lc {
namespace {

using sentencepiece::SentencePieceProcessor;

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581, what a space is in pieces
constexpr size_t kLongestLine = size_t{1} << 16;         // bytes encoded at once, by lines
constexpr size_t kLongestDocument = size_t{1} << 22;     // bytes encoded at once, else
constexpr size_t kBatch = size_t{1} << 22;               // bytes that wait for a line's end

std::string with_spaces(std::string text) {
  for (size_t at = 0; (at = text.find(kSpaceMark, at)) != std::string::npos; ++at) {
    text.replace(at, kSpaceMark.size(), " ");
  }
  return text;
}

struct Model {
  SentencePieceProcessor processor;
  std::string serialised;
  std::vector<std::string> texts_V;
  TokenSizes sizes;
  bool by_lines = false;

  Model(std::string bytes, const std::string& source) : serialised(std::move(bytes)) {
    if (!processor.LoadFromSerializedProto(serialised).ok() || processor.GetPieceSize() == 0) {
      throw Error(ErrorKind::kData, source, "is no SentencePiece model, or damaged",
                  "name a .model file that SentencePiece wrote, or fetch it again");
    }
    for (int id = 0; id < processor.GetPieceSize(); ++id) add_piece(id);
    by_lines = pieces_stay_in_lines();
  }
  std::vector<int> ids(std::string_view text) const {
    std::vector<int> found;
    const auto status = processor.Encode({text.data(), text.size()}, &found);
    LC_CHECK(status.ok());
    return found;
  }

 private:
  void add_piece(int id) {
    const std::string& piece = processor.IdToPiece(id);
    std::string text;
    if (processor.IsByte(id)) {
      text = static_cast<char>(std::stoi(piece.substr(3, 2), nullptr, 16));
    } else if (processor.IsUnknown(id)) {
      text = " \xE2\x81\x87 ";
    } else if (!processor.IsControl(id)) {
      text = with_spaces(piece);
    }
    const bool defined = !processor.IsUnknown(id);
    const auto characters = std::count_if(text.begin(), text.end(), [](char byte) {
      return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
    });
    sizes.bytes_V.push_back(defined ? static_cast<int64_t>(text.size()) : -1);
    sizes.characters_V.push_back(defined ? characters : -1);
    texts_V.push_back(std::move(text));
  }
  // Pieces hold no newline but the one that is a symbol, spaces only at their beginning, and
  // nothing is put before a text or taken from its ends.
  bool pieces_stay_in_lines() const {
    for (int id = 0; id < processor.GetPieceSize(); ++id) {
      const std::string& text = texts_V[static_cast<size_t>(id)];
      if (processor.IsByte(id) || processor.IsUnknown(id)) continue;
      if (text != "\n" && text.find('\n') != std::string::npos) return false;
      const size_t word = text.find_first_not_of(' ');
      if (word != std::string::npos && text.find(' ', word) != std::string::npos) return false;
    }
    const std::vector<int> newline = ids("\n");
    if (newline.size() != 1 || texts_V[static_cast<size_t>(newline[0])] != "\n") return false;
    std::string joined;
    for (const int id : ids("  a \n b  ")) joined += texts_V[static_cast<size_t>(id)];
    return joined == "  a \n b  ";
  }
};

class PieceEncoder : public DocumentEncoder {
 public:
  explicit PieceEncoder(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  void begin_at(const std::string& document, const TextPlace&) override { document_ = document; }
  void add(std::string_view piece, std::vector<int64_t>& out) override {
    while (!piece.empty()) {
      const size_t taken = std::min(piece.size(), kBatch);
      text_ += piece.substr(0, taken);
      piece.remove_prefix(taken);
      if (text_.size() >= kBatch) encode_text(false, out);
    }
  }
  void end(DocumentEnd how, std::vector<int64_t>& out) override {
    encode_text(true, out);
    const int eos = model_->processor.eos_id();
    if (how == DocumentEnd::kSeparator && eos >= 0) out.push_back(eos);
  }
  const EncodingReport& report() const override { return report_; }

 private:
  struct Unit {
    std::string_view text;
    std::vector<int> ids;
    bool exact = true;
  };

  // Where the unit that begins the text ends; 0: more text is needed to know.
  size_t unit_end(std::string_view text, bool last) const {
    const size_t longest = model_->by_lines ? kLongestLine : kLongestDocument;
    if (model_->by_lines) {
      const size_t newline = text.substr(0, longest).find('\n');
      if (newline != std::string_view::npos) return newline + 1;
    }
    if (text.size() <= longest) return last ? text.size() : 0;
    const char separator = model_->by_lines ? ' ' : '\n';
    size_t at = text.rfind(separator, longest);
    while (model_->by_lines && at != std::string_view::npos && at > 0 && text[at - 1] == ' ') --at;
    if (at != std::string_view::npos && at > 0) return model_->by_lines ? at : at + 1;
    at = longest;
    while (at > 1 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at;
  }

  void encode_text(bool last, std::vector<int64_t>& out) {
    std::vector<Unit> units;
    std::string_view rest = text_;
    while (!rest.empty()) {
      const size_t end = unit_end(rest, last);
      if (end == 0) break;
      units.push_back({rest.substr(0, end), {}, true});
      rest.remove_prefix(end);
    }
    if (!model_->by_lines && text_.size() > kLongestDocument) note_cut();
    for (Unit& unit : units) {
      encode_unit(unit);
      take(unit, out);
    }
    text_ = std::string(rest);
  }

  void encode_unit(Unit& unit) const {
    unit.ids = model_->ids(unit.text);
    size_t at = 0;
    for (const int id : unit.ids) {
      const std::string& text = model_->texts_V[static_cast<size_t>(id)];
      unit.exact =
          unit.exact && !model_->processor.IsUnknown(id) && unit.text.substr(at).starts_with(text);
      at += text.size();
      if (!unit.exact) return;
    }
    unit.exact = at == unit.text.size();
  }

  void take(const Unit& unit, std::vector<int64_t>& out) {
    out.insert(out.end(), unit.ids.begin(), unit.ids.end());
    if (!unit.exact && report_.lossless) {
      report_.lossless = false;
      report_.lossy_reason = "decoding " + document_ + " doesn't give back its text, from \"" +
                             beginning_of(unit.text, 40) + "\" on";
    }
    const int unknown = model_->processor.unk_id();
    report_.unknown += std::count(unit.ids.begin(), unit.ids.end(), unknown);
    if (report_.unknown > 0 && report_.unknown_examples.size() < kUnknownExamples)
      add_examples(unit);
  }

  void add_examples(const Unit& unit) {
    const auto pieces = model_->processor.EncodeAsPieces({unit.text.data(), unit.text.size()});
    for (size_t i = 0; i < pieces.size() && report_.unknown_examples.size() < kUnknownExamples;
         ++i) {
      if (model_->processor.IsUnknown(unit.ids[i])) report_.add_example(pieces[i]);
    }
  }

  void note_cut() {
    if (!report_.cut.empty()) return;
    report_.cut = document_ + ": longer than " + std::to_string(kLongestDocument) +
                  " bytes, so this model encodes it in several parts";
  }

  std::shared_ptr<const Model> model_;
  std::string document_;
  std::string text_;
  EncodingReport report_;
};

class SentencePieceTokenizer : public Tokenizer {
 public:
  SentencePieceTokenizer(std::string model, const std::string& source)
      : model_(std::make_shared<const Model>(std::move(model), source)) {}

  std::string type() const override { return "sentencepiece"; }
  int64_t vocab_size() const override { return model_->processor.GetPieceSize(); }
  std::string content() const override {
    return tokenizer_content({{"type", "sentencepiece"}}, model_->serialised);
  }
  std::unique_ptr<DocumentEncoder> encoder() const override {
    return std::make_unique<PieceEncoder>(model_);
  }
  SafeCuts safe_cuts() const override {
    return model_->by_lines ? SafeCuts::kLineEnds : SafeCuts::kNowhere;
  }
  std::string token_text(int64_t id) const override {
    return model_->texts_V.at(static_cast<size_t>(id));
  }
  TokenSizes token_sizes() const override { return model_->sizes; }
  nlohmann::json description() const override {
    return {{"type", "sentencepiece"},
            {"vocab_size", vocab_size()},
            {"unknown_id", model_->processor.unk_id()},
            {"eos_id", model_->processor.eos_id()},
            {"by_lines", model_->by_lines}};
  }

 private:
  std::shared_ptr<const Model> model_;
};

std::shared_ptr<const Tokenizer> build_sentencepiece(const Config& config,
                                                     const TrainingText& text) {
  if (!config.is_null("data.tokenizer.model")) {
    const auto path = config.get<std::string>("data.tokenizer.model");
    return std::make_shared<SentencePieceTokenizer>(read_file(path), path);
  }
  const SentencePieceTraining training{
      .algorithm = config.get<std::string>("data.tokenizer.algorithm"),
      .vocab_size = config.get<int64_t>("data.tokenizer.vocab_size"),
      .sample_bytes = config.get<int64_t>("data.tokenizer.sample_bytes"),
      .seed = config.get<uint64_t>("data.tokenizer.seed")};
  return std::make_shared<SentencePieceTokenizer>(train_sentencepiece(training, text),
                                                  "the model just trained");
}

}  // namespace

TokenizerKind sentencepiece_tokenizer() {
  TokenizerKind kind;
  kind.name = "sentencepiece";
  kind.says = "pieces of a SentencePiece model, given or trained on the train split";
  kind.build = build_sentencepiece;
  kind.load = [](const nlohmann::json&, std::string_view payload, const std::string& source) {
    return std::shared_ptr<const Tokenizer>(
        std::make_shared<SentencePieceTokenizer>(std::string(payload), source));
  };
  kind.files = [](const Config& config) {
    return config.is_null("data.tokenizer.model")
               ? nlohmann::json()
               : nlohmann::json(sha256_of_file(config.get<std::string>("data.tokenizer.model")));
  };
  return kind;
}

}  // namespace lc

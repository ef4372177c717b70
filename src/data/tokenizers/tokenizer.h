// From text to token ids and back. A tokenizer is one .cpp file and one line of the registry.
//
// Tokenizers are immutable; all they know is in content(), from which an equal one can be made, and
// whose hash names them in token files and checkpoints.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "data/token_file.h"
#include "data/tokenizers/encoding_report.h"

namespace lc {

enum class DocumentEnd {
  kSeparator,  // what the tokenizer puts after a document: </s>, <eos> of an unfinished line,
               // nothing
  kNone,       // a prompt: the text goes on
};

// What of a document came before a place in it, for messages that name byte or line.
struct TextPlace {
  int64_t bytes = 0;
  int64_t lines = 0;
};

// Encodes documents one after the other, each given in pieces that may be cut anywhere.
class DocumentEncoder {
 public:
  virtual ~DocumentEncoder() = default;
  void begin(const std::string& document) { begin_at(document, {}); }  // its name, for messages
  virtual void begin_at(const std::string& document, const TextPlace& place) = 0;
  // Appends the ids that are settled by now; a bounded part of the text may wait for the next call.
  // Error(kData) at a word that is unknown where that is refused; the message names the line.
  virtual void add(std::string_view piece, std::vector<int64_t>& ids) = 0;
  virtual void end(DocumentEnd how, std::vector<int64_t>& ids) = 0;
  virtual const EncodingReport& report() const = 0;  // of all documents so far
};

// Where a document may be cut so that its parts, encoded on their own, give the ids of the whole.
enum class SafeCuts {
  kNowhere,
  kLineEnds,  // behind a newline
  kSpaces,    // behind a newline or a space
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual std::string type() const = 0;  // "byte", "word", "sentencepiece"
  virtual int64_t vocab_size() const = 0;
  // Everything that determines the ids, as make_tokenizer() takes it.
  virtual std::string content() const = 0;
  virtual std::unique_ptr<DocumentEncoder> encoder() const = 0;  // cheap to make
  virtual SafeCuts safe_cuts() const { return SafeCuts::kSpaces; }
  // The text of one token; those of several, joined, are the decoded text. Separators: "\n" for
  // <eos>, nothing for control tokens.
  virtual std::string token_text(int64_t id) const = 0;
  virtual TokenSizes token_sizes() const = 0;
  // What header and --info say of it: {type, vocab_size, ...}.
  virtual nlohmann::json description() const = 0;

  std::vector<int64_t> encode(std::string_view text) const;  // without a separator at the end
  std::string decode(const std::vector<int64_t>& ids) const;
  std::string hash() const;  // SHA-256 of content(), hex
};

// Reads the train split, or all splits, once more, piece by piece; an empty piece ends a document.
// This is how vocabularies are counted and models trained.
using TextPass = std::function<void(const std::function<void(std::string_view piece)>&)>;
struct TrainingText {
  TextPass train;
  TextPass all;             // train, valid, test
  int64_t train_bytes = 0;  // so that samples can be drawn in one pass
};

// The tokenizer that section data.tokenizer asks for, made from files or from the text.
// Error(kUsage, kData): unknown type, missing or damaged file, text too small for the vocabulary.
std::shared_ptr<const Tokenizer> build_tokenizer(const Config& config, const TrainingText& text);

// What in the config and in the files it names determines that tokenizer besides the text.
nlohmann::json tokenizer_identity(const Config& config);

// The tokenizer with that content; source names it in messages (Error(kData) if it is damaged).
std::shared_ptr<const Tokenizer> make_tokenizer(std::string_view content,
                                                const std::string& source);

bool needs_utf8(const Config& config);  // whether the tokenizer asked for reads code points

std::vector<Option> tokenizer_options();  // the rows of data.tokenizer

}  // namespace lc

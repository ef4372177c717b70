// What is published of a corpus: its files, and what a right reading of them gives.
//
// An input is recognised by its SHA-256 (where none is published: by size and symbols, else by name
// and then by what is counted in it). One that is recognised must give the published counts and
// vocabulary. One of a published file's size that isn't that file is refused: it is damaged. Any
// other input is another text, and only labelled so.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/corpora/input_file.h"
#include "data/corpora/text_counts.h"
#include "data/corpora/text_reader.h"

namespace lc {

class Tokenizer;

// The input of a split; 0 and "": not published.
struct OfficialText {
  std::string name;      // of its file, without folders; of several files: what they are
  int64_t bytes = 0;     // of its file
  std::string sha256{};  // of its file; of several: of a line "NUMBER SHA256" for each, in order
  int64_t symbols = 0;   // different bytes
  int64_t reference_symbols = 0;  // those that the byte tokenizer of the reference protocol knows
  int64_t word_types = 0;         // that the word tokenizer makes of it, <eos> included
};

// What a published split gives; words as token files count them.
struct OfficialCounts {
  std::optional<int64_t> bytes{};
  std::optional<int64_t> words{};
  std::optional<int64_t> documents{};
  std::optional<int64_t> published_words{};  // to be used in place of what is counted
};

struct OfficialCorpus {
  std::map<std::string, std::vector<OfficialText>> texts;  // by split, or "all"; one of each list
  std::map<std::string, OfficialCounts> splits;
};

struct MeasuredInput {
  InputFile file;
  InputDigest digest;
};

enum class Recognition {
  kOther,   // another text, or a part of the published one
  kByName,  // official if its counts are
  kProven,
};

struct RecognisedText {
  Recognition how = Recognition::kOther;
  OfficialText text{};  // unless kOther
};

// Whether one of the texts is the input. Error(kData) if it is damaged.
RecognisedText recognise(const std::vector<OfficialText>& texts,
                         const std::vector<MeasuredInput>& inputs);

struct SplitCounts {
  std::string split;
  int64_t bytes = 0;
  int64_t words = 0;
  int64_t documents = 0;
};

// Whether the split is the published one. Error(kData) if its text is, but its counts aren't.
bool is_official(const OfficialCorpus& official, const RecognisedText& recognised,
                 const SplitCounts& found);

// Error(kData) if a tokenizer made from this text must have another size; the text is official.
void check_official_vocabulary(const OfficialText& text, const Tokenizer& tokenizer,
                               const Config& config);

}  // namespace lc

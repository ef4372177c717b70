// Encodes one split into a token file, in one pass over its text, on all cores.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/corpora/split_plan.h"
#include "data/tokenizers/tokenizer.h"

namespace lc {

struct SplitJob {
  std::filesystem::path path;  // of the token file
  std::string split;
  std::vector<InputPart> parts;
  int64_t bytes = 0;            // of its text, for the progress bar
  RecognisedText recognised{};  // whether its text is the published one
};

// What is to be said of the splits that were written, once for all of them.
struct SplitReport {
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  std::vector<std::string> not_official;  // splits
  std::string corpus;
  bool cr_lf = false;
};

// The header that it gives the file: corpus, split, official, official_words, tokenizer, lossless,
// lossy_reason, unknown {count, rate, examples}, newlines_to_lf, lines (where documents are lines
// of files: the number of each in its file, 1 for the first; absent where document n is line n),
// about (what the corpus knows of documents, by their names). Error(kData) if the text is the
// published one but its counts aren't; no file is left then.
void write_split(const SplitJob& job, const CorpusRequest& request, const Tokenizer& tokenizer,
                 SplitReport& report);

void log_split_report(const SplitReport& report);

}  // namespace lc

// A corpus: which files make up each split, and where documents begin in them.
//
// A kind of corpus is one .cpp file that returns a CorpusKind and one line of the registry. What
// all have in common (explicit files, fractions, compressed inputs, checks) is done once for all.
// A corpus may also make its texts by itself, from options of its own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/corpora/input_file.h"
#include "data/target_weights.h"

namespace lc {

enum class DocumentRule {
  kFile,         // one file, one document
  kWikiArticle,  // a document begins at a line " = Title = " between blank lines
  kLine,         // each line that isn't empty (records); its newline belongs to no document
};

enum class CutRule {
  kByte,      // a text without splits is cut at any byte
  kDocument,  // at a document; a text with too few of them at a line
};

enum class WordRule {
  kRuns,         // runs of anything but white space
  kRunsAndLines  // and one more for each line end, as WikiText's papers count
};

// Files by split; under "all" those of a text that comes without splits and is to be cut.
using FilesBySplit = std::map<std::string, std::vector<InputFile>>;

struct CorpusKind {
  std::string name;
  std::string says;  // one sentence, for help texts
  // Finds the files below data.path. Error(kData) if they aren't there.
  FilesBySplit (*locate)(const std::filesystem::path& path) = nullptr;
  // Instead, of a corpus that makes its texts. Error(kUsage) if its options don't fit.
  FilesBySplit (*generate)(const Config& config) = nullptr;
  std::vector<Option> options{};  // the rows of its own, below data
  // What training counts of each target; absent: all the same.
  TargetWeights (*target_weights)(const Config& config) = nullptr;
  DocumentRule documents = DocumentRule::kFile;
  CutRule cut = CutRule::kDocument;
  WordRule words = WordRule::kRuns;
  bool any_bytes = false;       // binary content is allowed
  bool newlines_to_lf = false;  // CR LF and CR are read as LF
  // What is published of its texts (data/corpora/official.h); absent: nothing.
  const struct OfficialCorpus* official = nullptr;
};

const std::vector<CorpusKind>& corpus_kinds();
const CorpusKind& corpus_kind(const std::string& name);  // data.corpus is checked against the names

// The registry's entries.
CorpusKind enwik8_corpus();
CorpusKind text8_corpus();
CorpusKind wikitext103_corpus();
CorpusKind pg19_corpus();
CorpusKind text_corpus();
CorpusKind passkey_corpus();

}  // namespace lc

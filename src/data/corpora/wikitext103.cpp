// WikiText-103 (Merity et al. 2016), as tokens or raw: wiki.{train,valid,test}.{tokens,raw}.
#include "core/error.h"
#include "data/corpora/locate.h"

namespace lc {
namespace {

FilesBySplit locate_wiki(const std::filesystem::path& path) {
  const std::vector<InputFile> inputs = list_inputs(path);
  FilesBySplit files;
  std::string ending;
  for (const InputFile& file : inputs) {
    for (const char* split : {"train", "valid", "test"}) {
      for (const char* form : {".tokens", ".raw"}) {
        if (file_name_of(file) != std::string("wiki.") + split + form) continue;
        if (!ending.empty() && ending != form) {
          throw Error(ErrorKind::kData, path.string(),
                      "holds WikiText files both as .tokens and as .raw",
                      "name the folder of one of them in data.path");
        }
        ending = form;
        files[split].push_back(file);
      }
    }
  }
  if (!files.empty()) return files;
  if (inputs.size() == 1) return {{"all", inputs}};
  throw Error(ErrorKind::kData, path.string(), "holds no wiki.train.tokens or wiki.train.raw",
              "name the folder or archive of WikiText-103, or the files in data.train, data.valid "
              "and data.test");
}

// Words with one <eos> for each line, as in the paper.
std::optional<bool> official_wiki(const std::string& split, const TextCounts& counts,
                             int64_t /*documents*/) {
  const int64_t words = counts.words + counts.line_ends;
  return words == (split == "train" ? 103'227'021 : split == "valid" ? 217'646 : 245'569);
}

}  // namespace

CorpusKind wikitext103_corpus() {
  CorpusKind kind;
  kind.name = "wikitext103";
  kind.says = "Wikipedia articles as word tokens or raw, with published splits";
  kind.locate = locate_wiki;
  kind.documents = DocumentRule::kWikiArticle;
  kind.words = WordRule::kRunsAndLines;
  kind.official = official_wiki;
  return kind;
}

}  // namespace lc

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

// Words with one <eos> for each line, as in the paper. Of the train files no checksum is published.
OfficialCorpus official_wiki() {
  OfficialCorpus official;
  official.texts["train"] = {{.name = "wiki.train.tokens", .word_types = 267'735},
                             {.name = "wiki.train.raw"}};
  official.texts["valid"] = {
      {.name = "wiki.valid.tokens",
       .bytes = 1'142'309,
       .sha256 = "9aee9f52d6e77de6c7751fc5e7c44287db3ec0eaf15477098acc6b93c1c4250b"},
      {.name = "wiki.valid.raw",
       .bytes = 1'146'846,
       .sha256 = "4cd0f6876d07a413aa911261ff6d363c72d757d47f0fdd6015702014c89cb9c7"}};
  official.texts["test"] = {
      {.name = "wiki.test.tokens",
       .bytes = 1'281'077,
       .sha256 = "56db52eb157b1ab5c89646eef70510c1eca6e12a3bfdb99f0d6b05b4eacb75b9"},
      {.name = "wiki.test.raw",
       .bytes = 1'290'590,
       .sha256 = "173c87a53759e0201f33e0ccf978e510c2042d7f2cb78229d9a50d79b9e7dd08"}};
  official.splits["train"] = {.words = 103'227'021};
  official.splits["valid"] = {.words = 217'646, .documents = 60};
  official.splits["test"] = {.words = 245'569, .documents = 60};
  return official;
}

}  // namespace

CorpusKind wikitext103_corpus() {
  CorpusKind kind;
  kind.name = "wikitext103";
  kind.says = "Wikipedia articles as word tokens or raw, with published splits";
  kind.locate = locate_wiki;
  kind.documents = DocumentRule::kWikiArticle;
  kind.words = WordRule::kRunsAndLines;
  static const OfficialCorpus official = official_wiki();
  kind.official = &official;
  return kind;
}

}  // namespace lc

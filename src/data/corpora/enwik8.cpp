// The first 10^8 bytes of Wikipedia's dump of March 2006, byte for byte: one document.
#include "data/corpora/locate.h"

namespace lc {
namespace {

OfficialCorpus official_enwik8() {
  return {{{"all",
            {{.name = "enwik8",
                .bytes = 100'000'000,
                .sha256 = "2b49720ec4d78c3c9fabaee6e4179a5e997302b3a70029f30f2d582218c024a8",
                .symbols = 205,
                .reference_symbols = 204}}}},
          cut_of_hundred_million()};
}

}  // namespace

CorpusKind enwik8_corpus() {
  CorpusKind kind;
  kind.name = "enwik8";
  kind.says = "the first 10^8 bytes of a Wikipedia dump, cut 90/5/5 % by bytes";
  kind.locate = [](const std::filesystem::path& path) {
    return FilesBySplit{{"all", {one_file(path, "enwik8")}}};
  };
  kind.cut = CutRule::kByte;
  kind.any_bytes = true;
  static const OfficialCorpus official = official_enwik8();
  kind.official = &official;
  return kind;
}

}  // namespace lc

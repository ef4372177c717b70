// The first 10^8 bytes of Wikipedia's dump of March 2006, byte for byte: one document.
#include "data/corpora/locate.h"

namespace lc {

CorpusKind enwik8_corpus() {
  CorpusKind kind;
  kind.name = "enwik8";
  kind.says = "the first 10^8 bytes of a Wikipedia dump, cut 90/5/5 % by bytes";
  kind.locate = [](const std::filesystem::path& path) {
    return FilesBySplit{{"all", {one_file(path, "enwik8")}}};
  };
  kind.cut = CutRule::kByte;
  kind.any_bytes = true;
  kind.official = is_cut_of_hundred_million;
  return kind;
}

}  // namespace lc

// Mahoney's text8: enwik9 made a-z and single spaces, 10^8 bytes, one document.
#include "data/corpora/locate.h"

namespace lc {

CorpusKind text8_corpus() {
  CorpusKind kind;
  kind.name = "text8";
  kind.says = "10^8 letters a-z and spaces of Wikipedia, cut 90/5/5 % by bytes";
  kind.locate = [](const std::filesystem::path& path) {
    return FilesBySplit{{"all", {one_file(path, "text8")}}};
  };
  kind.cut = CutRule::kByte;
  kind.official = is_cut_of_hundred_million;
  return kind;
}

}  // namespace lc

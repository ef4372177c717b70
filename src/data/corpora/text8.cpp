// Mahoney's text8: enwik9 made a-z and single spaces, 10^8 bytes, one document.
#include "data/corpora/locate.h"

namespace lc {
namespace {

// Its MD5 is published too, which scripts/get_data.sh looks at.
OfficialCorpus official_text8() {
  return {{{"all",
            {{.name = "text8", .bytes = 100'000'000, .symbols = 27, .reference_symbols = 27}}}},
          cut_of_hundred_million()};
}

}  // namespace

CorpusKind text8_corpus() {
  CorpusKind kind;
  kind.name = "text8";
  kind.says = "10^8 letters a-z and spaces of Wikipedia, cut 90/5/5 % by bytes";
  kind.locate = [](const std::filesystem::path& path) {
    return FilesBySplit{{"all", {one_file(path, "text8")}}};
  };
  kind.cut = CutRule::kByte;
  static const OfficialCorpus official = official_text8();
  kind.official = &official;
  return kind;
}

}  // namespace lc

#include <algorithm>

#include "core/error.h"
#include "data/corpora/corpus.h"

namespace lc {

const std::vector<CorpusKind>& corpus_kinds() {
  static const std::vector<CorpusKind> kinds = {
      text_corpus(), enwik8_corpus(), text8_corpus(), wikitext103_corpus(), pg19_corpus(),
  };
  return kinds;
}

const CorpusKind& corpus_kind(const std::string& name) {
  const auto& kinds = corpus_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const CorpusKind& kind) { return kind.name == name; });
  LC_CHECK(found != kinds.end());
  return *found;
}

}  // namespace lc

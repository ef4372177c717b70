#include <algorithm>

#include "core/error.h"
#include "data/corpora/corpus.h"

namespace lc {

const std::vector<CorpusKind>& corpus_kinds() {
  static const std::vector<CorpusKind> kinds = {
      text_corpus(),        enwik8_corpus(), text8_corpus(),
      wikitext103_corpus(), pg19_corpus(),   passkey_corpus(),
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

TargetWeights target_weights(const Config& config) {
  const CorpusKind& kind = corpus_kind(config.get<std::string>("data.corpus"));
  return kind.target_weights == nullptr ? TargetWeights{} : kind.target_weights(config);
}

}  // namespace lc

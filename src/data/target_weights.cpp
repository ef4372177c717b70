#include "data/target_weights.h"

#include <algorithm>

namespace lc {

void weigh_targets(const TargetWeights& rule, const std::vector<DocumentInfo>& documents,
                   int64_t first, std::span<float> weights) {
  std::fill(weights.begin(), weights.end(), rule.text);
  if (rule.answer == 0 || rule.text == 1) return;
  const int64_t past = first + static_cast<int64_t>(weights.size());
  auto document = std::upper_bound(
      documents.begin(), documents.end(), first,
      [](int64_t token, const DocumentInfo& info) { return token < info.first_token; });
  if (document != documents.begin()) --document;
  for (; document != documents.end() && document->first_token < past; ++document) {
    const int64_t end = document->first_token + document->tokens;
    const int64_t answer = std::max(document->first_token, end - rule.answer);
    for (int64_t t = std::max(answer, first); t < std::min(end, past); ++t) {
      weights[static_cast<size_t>(t - first)] = 1;
    }
  }
}

}  // namespace lc

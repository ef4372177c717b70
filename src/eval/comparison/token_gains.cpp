#include "eval/comparison/token_gains.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "eval/target_ids.h"
#include "eval/token_text.h"

namespace lc {
namespace {

constexpr const char* kBetweenWords = "(between words)";

// Losses that are infinite in both runs have no difference: they stand last.
void sort_gains(std::vector<TokenGain>& gains) {
  const auto place = [](const TokenGain& gain) {
    return std::isnan(gain.nats) ? std::numeric_limits<double>::infinity() : gain.nats;
  };
  std::sort(gains.begin(), gains.end(), [&](const TokenGain& a, const TokenGain& b) {
    if (place(a) != place(b)) return place(a) < place(b);
    return a.id != b.id ? a.id < b.id : a.text < b.text;
  });
}

std::vector<TokenGain> gains_of_tokens(const ReadableText& text, const TokenScores& differences) {
  std::vector<TokenGain> by_id(static_cast<size_t>(text.tokens.vocab_size()));
  for_each_target_id(text.tokens, differences.targets, [&](size_t i, int64_t id) {
    TokenGain& gain = by_id[static_cast<size_t>(id)];
    gain.id = id;
    ++gain.count;
    gain.nats += differences.nll[i];
  });
  std::erase_if(by_id, [](const TokenGain& gain) { return gain.count == 0; });
  for (TokenGain& gain : by_id) gain.text = visible_text(text.tokenizer.token_text(*gain.id));
  sort_gains(by_id);
  return by_id;
}

std::vector<TokenGain> gains_of_words(const ReadableText& text, const TokenScores& differences) {
  WordMap<TokenGain> by_word;
  size_t next = 0;
  const int64_t past = differences.targets.empty() ? 0 : differences.targets.back() + 1;
  for_each_word(text, past, [&](const WordSpan& span) {
    const size_t first = next;
    double nats = 0;
    for (; next < differences.targets.size() && differences.targets[next] < span.first + span.count;
         ++next) {
      nats += differences.nll[next];
    }
    if (next == first) return;
    auto found = by_word.find(span.word);
    if (found == by_word.end()) found = by_word.emplace(span.word, TokenGain{}).first;
    ++found->second.count;
    found->second.nats += nats;
  });
  std::vector<TokenGain> gains;
  for (auto& [word, gain] : by_word) {
    gain.text = word.empty() ? kBetweenWords : visible_text(word);
    gains.push_back(std::move(gain));
  }
  sort_gains(gains);
  return gains;
}

}  // namespace

TokenGains token_gains(const ReadableText& text, const TokenScores& differences,
                       const TokenFile* train) {
  TokenGains gains{gains_of_tokens(text, differences), gains_of_words(text, differences), {}, {}};
  if (train == nullptr) return gains;
  gains.frequency = slice_by_frequency({text, differences.targets}, *train, {});
  gains.by_frequency = score_slices(text.tokens, *gains.frequency, differences);
  return gains;
}

}  // namespace lc

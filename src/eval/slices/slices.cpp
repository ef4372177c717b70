#include "eval/slices/slices.h"

#include <algorithm>

#include "core/error.h"
#include "eval/slices/buckets.h"

namespace lc {
namespace {

constexpr int64_t kReadAtOnce = 1 << 16;
constexpr int32_t kUnsliced = -1;
// Table 7 of Rae et al. 2020: "< 100", "100 - 1K", "1K - 10K", "> 10K".
const std::vector<int64_t> kPaperFrequencies = {0, 100, 1000, 10001};

Slicing empty_slicing(const char* by, const SlicedText& sliced) {
  Slicing slicing;
  slicing.by = by;
  slicing.slice_of.assign(sliced.targets.size(), kUnsliced);
  return slicing;
}

void add_buckets(const Buckets& buckets, Slicing& slicing) {
  for (int64_t b = 0; b < buckets.count(); ++b) {
    slicing.slices.push_back({buckets.name(b), buckets.from(b), buckets.to(b)});
  }
}

int64_t past_of(const std::vector<int64_t>& targets) {
  return targets.empty() ? 0 : targets.back() + 1;
}

// Calls visit(i, span, place) for every target: its index, its span, and how many of the span's
// tokens stand before it.
template <typename Visit>
void for_each_target_span(const SlicedText& sliced, Visit&& visit) {
  const std::vector<int64_t>& targets = sliced.targets;
  size_t next = 0;
  for_each_word(sliced.text, past_of(targets), [&](const WordSpan& span) {
    for (; next < targets.size() && targets[next] < span.first + span.count; ++next) {
      LC_CHECK(targets[next] >= span.first);
      visit(next, span, targets[next] - span.first);
    }
  });
  LC_CHECK(next == targets.size());
}

// Calls visit(document, token, id) for the tokens of every document that begins before `past`.
template <typename Visit>
void for_each_token(const TokenFile& tokens, int64_t past, Visit&& visit) {
  std::vector<int64_t> ids;
  for (size_t d = 0; d < tokens.documents().size(); ++d) {
    const DocumentInfo& document = tokens.documents()[d];
    const int64_t end = std::min(document.first_token + document.tokens, past);
    for (int64_t first = document.first_token; first < end; first += kReadAtOnce) {
      ids.resize(static_cast<size_t>(std::min(kReadAtOnce, end - first)));
      tokens.copy(first, static_cast<int64_t>(ids.size()), ids.data());
      for (size_t i = 0; i < ids.size(); ++i) visit(d, first + static_cast<int64_t>(i), ids[i]);
    }
  }
}

// Calls visit(i, document) for every target: its index and its document's.
template <typename Visit>
void for_each_target_document(const SlicedText& sliced, Visit&& visit) {
  const std::vector<DocumentInfo>& documents = sliced.text.tokens.documents();
  size_t next = 0;
  for (size_t d = 0; d < documents.size(); ++d) {
    const int64_t past = documents[d].first_token + documents[d].tokens;
    for (; next < sliced.targets.size() && sliced.targets[next] < past; ++next) visit(next, d);
  }
  LC_CHECK(next == sliced.targets.size());
}

// Buckets of the values of targets, the lowest possible one being `least`; targets with a smaller
// value belong to the slice that follows the buckets.
void slice_values(const std::vector<int64_t>& values, int64_t least, const Bounds& bounds,
                  Slicing& slicing) {
  const int64_t largest = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  const Buckets buckets(bounds.value_or(powers_of_two(largest)), least);
  add_buckets(buckets, slicing);
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t slice = values[i] < least ? buckets.count() : buckets.of(values[i]);
    slicing.slice_of[i] = static_cast<int32_t>(slice);
  }
}

}  // namespace

Slicing slice_by_frequency(const SlicedText& sliced, const TokenFile& train, const Bounds& bounds) {
  Slicing slicing = empty_slicing("frequency", sliced);
  slicing.measured = "occurrences of the token's word in train";
  const Buckets buckets(bounds.value_or(kPaperFrequencies), 0);
  add_buckets(buckets, slicing);
  WordMap<int64_t> counts;
  bool between = false;
  for_each_target_span(sliced, [&](size_t, const WordSpan& span, int64_t) {
    between = between || span.word.empty();
    if (!span.word.empty() && !counts.contains(span.word)) counts.emplace(span.word, 0);
  });
  count_words({train, sliced.text.tokenizer}, counts);
  if (between) slicing.slices.push_back({"between words", {}});
  for_each_target_span(sliced, [&](size_t i, const WordSpan& span, int64_t) {
    const int64_t slice =
        span.word.empty() ? buckets.count() : buckets.of(counts.find(span.word)->second);
    slicing.slice_of[i] = static_cast<int32_t>(slice);
  });
  return slicing;
}

Slicing slice_by_subword(const SlicedText& sliced) {
  Slicing slicing = empty_slicing("subword", sliced);
  slicing.slices = {
      {"first token of a word", {}}, {"other tokens of a word", {}}, {"between words", {}}};
  for_each_target_span(sliced, [&](size_t i, const WordSpan& span, int64_t place) {
    slicing.slice_of[i] = span.word.empty() ? 2 : place == 0 ? 0 : 1;
  });
  return slicing;
}

Slicing slice_by_recurrence(const SlicedText& sliced, Boundaries within, const Bounds& bounds) {
  struct Seen {
    size_t document = 0;
    int64_t token = -1;
  };
  Slicing slicing = empty_slicing("recurrence", sliced);
  slicing.measured = "tokens since the same token last occurred";
  const TokenFile& tokens = sliced.text.tokens;
  std::vector<Seen> last_V(static_cast<size_t>(tokens.vocab_size()));
  std::vector<int64_t> distances(sliced.targets.size(), 0);  // 0: not before
  size_t next = 0;
  for_each_token(tokens, past_of(sliced.targets), [&](size_t document, int64_t token, int64_t id) {
    Seen& last = last_V[static_cast<size_t>(id)];
    if (next < sliced.targets.size() && sliced.targets[next] == token) {
      const bool counts =
          last.token >= 0 && (within == Boundaries::kStream || last.document == document);
      distances[next++] = counts ? token - last.token : 0;
    }
    last = {document, token};
  });
  LC_CHECK(next == sliced.targets.size());
  slice_values(distances, 1, bounds, slicing);
  slicing.slices.push_back({"not before", {}});
  return slicing;
}

Slicing slice_by_position(const SlicedText& sliced, const Bounds& bounds) {
  Slicing slicing = empty_slicing("position", sliced);
  slicing.measured = "tokens before it in the document";
  std::vector<int64_t> positions(sliced.targets.size());
  for_each_target_document(sliced, [&](size_t i, size_t document) {
    positions[i] = sliced.targets[i] - sliced.text.tokens.documents()[document].first_token;
  });
  slice_values(positions, 0, bounds, slicing);
  return slicing;
}

Slicing slice_by_document(const SlicedText& sliced) {
  Slicing slicing = empty_slicing("document", sliced);
  slicing.blocks = SliceBlocks::kOfSlice;
  for_each_target_document(sliced, [&](size_t i, size_t document) {
    if (slicing.slices.empty() || slicing.slices.back().document != document) {
      const std::string& name = sliced.text.tokens.documents()[document].name;
      slicing.slices.push_back(
          {name.empty() ? std::to_string(document + 1) : name, {}, {}, document});
    }
    slicing.slice_of[i] = static_cast<int32_t>(slicing.slices.size()) - 1;
  });
  return slicing;
}

}  // namespace lc

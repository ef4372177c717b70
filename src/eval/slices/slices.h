// Scored tokens cut into slices, each token in exactly one: by how often its word occurs in train,
// by its place in the word, by how long ago the same token occurred, by its position in the
// document, by document (Rae et al. 2020, table 7; Sun et al. 2021).
//
// A slicing knows nothing of losses: several runs that scored the same targets share one.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "data/text_runs.h"
#include "data/token_file.h"
#include "eval/slices/word_walk.h"

namespace lc {

struct Slice {
  std::string name;                  // as it is shown: "100 to 999", "between words", a title
  std::optional<int64_t> from;       // of a bucket: the lowest value in it
  std::optional<int64_t> to{};       // and the highest; none: no end
  std::optional<size_t> document{};  // of documents: which one
};

// Where blocks for intervals lie: in the whole text, or in each slice, a text of its own.
enum class SliceBlocks { kOfText, kOfSlice };

struct Slicing {
  std::string by;        // frequency, subword, recurrence, position, document
  std::string measured;  // what from and to count, with the unit; empty: the slices have none
  std::vector<Slice> slices;
  std::vector<int32_t> slice_of;  // of each target, in their order
  SliceBlocks blocks = SliceBlocks::kOfText;
};

// Targets are token indices, ascending. Bounds are the lowest values of buckets (Buckets); none:
// the usual ones.
struct SlicedText {
  const ReadableText& text;
  const std::vector<int64_t>& targets;
};
using Bounds = std::optional<std::vector<int64_t>>;

// How often the token's word occurs in train. Usual bounds are the paper's: fewer than 100, 100 to
// 999, 1,000 to 10,000, more; a slice more holds tokens between words, where there are any.
Slicing slice_by_frequency(const SlicedText& sliced, const TokenFile& train, const Bounds& bounds);

// First token of a word, other tokens of it, tokens between words.
Slicing slice_by_subword(const SlicedText& sliced);

// Tokens since the same token last occurred, 1 for the token before; a slice more holds tokens that
// did not occur before. kReset: looked for in the document alone. Usual bounds: powers of two.
Slicing slice_by_recurrence(const SlicedText& sliced, Boundaries within, const Bounds& bounds);

// Tokens before it in the document. Usual bounds: powers of two.
Slicing slice_by_position(const SlicedText& sliced, const Bounds& bounds);

// A slice for each document that holds a target.
Slicing slice_by_document(const SlicedText& sliced);

}  // namespace lc

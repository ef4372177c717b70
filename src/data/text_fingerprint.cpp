#include "data/text_fingerprint.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/file_io.h"

namespace lc {
namespace {

constexpr int64_t kStretches = 4096;
constexpr int64_t kStretch = 256;

}  // namespace

std::string text_fingerprint(const TokenFile& tokens) {
  Sha256 sum;
  const int64_t size = tokens.size();
  sum.update(tokens.tokenizer_hash());
  sum.update(&size, sizeof(size));
  const bool whole = size <= kStretches * kStretch;
  const int64_t spacing = whole ? kStretch : size / kStretches;
  std::vector<int64_t> ids(kStretch);
  for (int64_t first = 0; first < size; first += spacing) {
    const int64_t count = std::min(kStretch, size - first);
    tokens.copy(first, count, ids.data());
    sum.update(ids.data(), static_cast<size_t>(count) * sizeof(int64_t));
  }
  return sum.hex();
}

}  // namespace lc

// The token ids of targets, read in stretches: a split is never held in memory as ids.
#pragma once

#include <cstdint>
#include <vector>

#include "data/token_file.h"

namespace lc {

inline constexpr int64_t kTargetsAtOnce = 1 << 16;

// Calls visit(i, id) for the token of every target, in order; targets are ascending.
template <typename Visit>
void for_each_target_id(const TokenFile& tokens, const std::vector<int64_t>& targets,
                        Visit&& visit) {
  std::vector<int64_t> ids;
  for (size_t begin = 0; begin < targets.size();) {
    size_t end = begin + 1;
    while (end < targets.size() && targets[end] - targets[begin] < kTargetsAtOnce) ++end;
    ids.resize(static_cast<size_t>(targets[end - 1] - targets[begin] + 1));
    tokens.copy(targets[begin], static_cast<int64_t>(ids.size()), ids.data());
    for (size_t i = begin; i < end; ++i) {
      visit(i, ids[static_cast<size_t>(targets[i] - targets[begin])]);
    }
    begin = end;
  }
}

}  // namespace lc

// The shape of a text without a token of it, for tests of plans.
#pragma once

#include <cstdint>
#include <vector>

#include "data/text_runs.h"

// Documents of so many tokens, one after the other.
inline lc::TextShape shape_of_documents(const std::vector<int64_t>& documents) {
  lc::TextShape text;
  for (const int64_t tokens : documents) {
    text.documents.push_back({text.tokens, tokens});
    text.tokens += tokens;
  }
  return text;
}

// Two runs compared on the same tokens: the mean of the paired differences, with its interval.
//
// The difference is A minus B, so below zero A is better. Pairing removes what the two have in
// common, that some text is harder than other text: the interval is far narrower than those of the
// two losses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/token_file.h"
#include "eval/bootstrap.h"
#include "eval/comparison/token_gains.h"
#include "eval/run_result.h"

namespace lc {

// Error(kData) unless both hold the same tokens of the same tokenizer. Names are the runs'.
struct NamedTokens {
  std::string name;
  TokenFile tokens;
};
void require_same_tokens(const NamedTokens& a, const NamedTokens& b);

// Error(kUsage) unless both scored the same targets, as what stands side by side must.
struct NamedTargets {
  std::string name;
  const std::vector<int64_t>& targets;
};
void require_same_targets(const NamedTargets& a, const NamedTargets& b);

struct Difference {
  std::optional<int64_t> context;  // none: the evaluation of the split
  PairedDifference paired;
  std::optional<double> bits_per_nat;  // bits per byte for one nat per token on these tokens
};

struct Comparison {
  RunResult a;
  RunResult b;
  std::vector<Difference> differences;  // of the split, then of each context that both have
  std::optional<TokenGains> gains{};    // of the split, token by token
};
// Both must have been evaluated on these tokens, which must hold scored targets in common.
Comparison compare_runs(const TokenFile& tokens, RunResult a, RunResult b);

}  // namespace lc

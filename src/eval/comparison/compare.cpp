#include "eval/comparison/compare.h"

#include <algorithm>
#include <numbers>
#include <utility>

#include "core/error.h"
#include "eval/units.h"

namespace lc {
namespace {

constexpr int64_t kComparedAtOnce = 1 << 16;

// The first place where two files of equal size differ.
std::optional<int64_t> first_difference(const TokenFile& a, const TokenFile& b) {
  std::vector<int64_t> ids_a;
  std::vector<int64_t> ids_b;
  for (int64_t first = 0; first < a.size(); first += kComparedAtOnce) {
    const int64_t count = std::min(kComparedAtOnce, a.size() - first);
    ids_a.resize(static_cast<size_t>(count));
    ids_b.resize(static_cast<size_t>(count));
    a.copy(first, count, ids_a.data());
    b.copy(first, count, ids_b.data());
    const auto [at, other] = std::mismatch(ids_a.begin(), ids_a.end(), ids_b.begin());
    if (at != ids_a.end()) return first + (at - ids_a.begin());
  }
  return {};
}

Difference difference_of(const TokenFile& tokens, const Evaluation& a, const Evaluation& b) {
  Difference difference{{}, paired_difference(a.scores, b.scores, text_shape(tokens)), {}};
  const ScoredUnits units = scored_units(tokens, paired_scores(a.scores, b.scores));
  if (units.bytes && *units.bytes > 0) {
    difference.bits_per_nat = static_cast<double>(difference.paired.tokens) /
                              static_cast<double>(*units.bytes) / std::numbers::ln2;
  }
  return difference;
}

}  // namespace

void require_same_tokens(const NamedTokens& a, const NamedTokens& b) {
  std::string fault;
  if (a.tokens.tokenizer_hash() != b.tokens.tokenizer_hash()) {
    fault = "another tokenizer than " + a.name;
  } else if (a.tokens.size() != b.tokens.size()) {
    fault = std::to_string(b.tokens.size()) + " tokens where " + a.name + " has " +
            std::to_string(a.tokens.size());
  } else if (const auto at = first_difference(a.tokens, b.tokens)) {
    fault = "another text than " + a.name + ", from token " + std::to_string(*at) + " on";
  }
  if (fault.empty()) return;
  throw Error(
      ErrorKind::kData, b.name, "has " + fault,
      "compare runs that were trained with the same tokenizer, on the same split or --data");
}

void require_same_targets(const NamedTargets& a, const NamedTargets& b) {
  if (a.targets == b.targets) return;
  throw Error(ErrorKind::kUsage, b.name,
              "scores other tokens than " + a.name + " (" + std::to_string(b.targets.size()) +
                  " of them, not " + std::to_string(a.targets.size()) + ")",
              "give both the same boundaries and lane split with --set, or ask for one by one");
}

Comparison compare_runs(const TokenFile& tokens, RunResult a, RunResult b) {
  std::vector<Difference> differences = {difference_of(tokens, a.evaluation, b.evaluation)};
  if (a.sweep && b.sweep) {
    for (size_t i = 0; i < a.sweep->points.size(); ++i) {
      const ContextPoint& of_a = a.sweep->points[i];
      const ContextPoint& of_b = b.sweep->points.at(i);
      LC_CHECK(of_a.context == of_b.context);
      differences.push_back(difference_of(tokens, of_a.evaluation, of_b.evaluation));
      differences.back().context = of_a.context;
    }
  }
  return {std::move(a), std::move(b), std::move(differences), {}};
}

}  // namespace lc

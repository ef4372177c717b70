#include "eval/bootstrap.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/rng.h"

namespace lc {
namespace {

constexpr size_t kFewestDocuments = 30;

// Empty if a target lies outside of every document.
std::vector<size_t> ends_of_documents(const std::vector<int64_t>& targets, const TextShape& text) {
  std::vector<size_t> ends;
  size_t next = 0;
  for (const auto& document : text.documents) {
    const size_t begin = next;
    for (; next < targets.size(); ++next) {
      if (targets[next] >= document.first + document.tokens) break;
      if (targets[next] < document.first) return {};
    }
    if (next > begin) ends.push_back(next);
  }
  return next == targets.size() ? ends : std::vector<size_t>{};
}

std::vector<size_t> ends_of_token_blocks(size_t targets) {
  std::vector<size_t> ends;
  for (size_t end = kBlockTokens; end < targets; end += kBlockTokens) ends.push_back(end);
  if (targets > 0) ends.push_back(targets);
  return ends;
}

// The value below which `share` of sorted values lie, interpolated.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

double ratio(const Block& total) { return total.sum / static_cast<double>(total.count); }

}  // namespace

BlockEnds block_ends(const std::vector<int64_t>& targets, const TextShape& text) {
  std::vector<size_t> documents = ends_of_documents(targets, text);
  if (documents.size() >= kFewestDocuments) return {std::move(documents), "documents"};
  return {ends_of_token_blocks(targets.size()), std::to_string(kBlockTokens) + " tokens"};
}

Blocks make_blocks(const TokenScores& scores, const TextShape& text) {
  const BlockEnds places = block_ends(scores.targets, text);
  Blocks made{{}, places.unit};
  size_t next = 0;
  for (const size_t end : places.ends) {
    Block block{0, static_cast<int64_t>(end - next)};
    for (; next < end; ++next) block.sum += scores.nll[next];
    made.blocks.push_back(block);
  }
  return made;
}

std::optional<Interval> bootstrap_interval(const std::vector<Block>& blocks) {
  const auto finite = [](const Block& block) { return std::isfinite(block.sum); };
  if (blocks.size() < 2 || !std::all_of(blocks.begin(), blocks.end(), finite)) return {};
  const auto count = static_cast<double>(blocks.size());
  std::vector<double> means;
  means.reserve(static_cast<size_t>(kResamples));
  for (int64_t r = 0; r < kResamples; ++r) {
    const uint64_t key = combine_keys(combine_keys(kBootstrapSeed, hash_text("bootstrap")),
                                      static_cast<uint64_t>(r));
    Block total;
    for (size_t i = 0; i < blocks.size(); ++i) {
      const Block& drawn =
          blocks[static_cast<size_t>(uniform_from_bits(combine_keys(key, i)) * count)];
      total.sum += drawn.sum;
      total.count += drawn.count;
    }
    means.push_back(ratio(total));
  }
  std::sort(means.begin(), means.end());
  return Interval{quantile(means, 0.025), quantile(means, 0.975)};
}

TokenScores paired_scores(const TokenScores& a, const TokenScores& b) {
  TokenScores difference;
  for (size_t i = 0, j = 0; i < a.targets.size() && j < b.targets.size();) {
    if (a.targets[i] == b.targets[j]) {
      difference.targets.push_back(a.targets[i]);
      difference.nll.push_back(a.nll[i++] - b.nll[j++]);
    } else if (a.targets[i] < b.targets[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return difference;
}

PairedDifference paired_difference(const TokenScores& a, const TokenScores& b,
                                   const TextShape& text) {
  const TokenScores difference = paired_scores(a, b);
  if (difference.size() == 0) {
    throw Error(ErrorKind::kUsage, "paired comparison", "the two runs scored no token in common",
                "evaluate both on the same split with the same limits");
  }
  Block total;
  for (const double nll : difference.nll) total.sum += nll;
  total.count = difference.size();
  Blocks blocks = make_blocks(difference, text);
  const std::optional<Interval> interval = bootstrap_interval(blocks.blocks);
  return {ratio(total), interval, difference.size(), std::move(blocks)};
}

}  // namespace lc

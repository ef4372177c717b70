#include "eval/slices/slice_scores.h"

#include <cmath>
#include <numbers>

#include "core/error.h"
#include "eval/target_ids.h"

namespace lc {
namespace {

// Sums of one slice, block by block.
class SliceSum {
 public:
  explicit SliceSum(bool has_bytes) {
    if (has_bytes) score_.bytes = 0;
  }
  void add(double nll, int64_t bytes, int64_t block) {
    ++score_.tokens;
    score_.nats += nll;
    if (bytes < 0) score_.bytes.reset();
    if (score_.bytes) *score_.bytes += bytes;
    if (blocks_.empty() || block != last_block_) blocks_.emplace_back();
    last_block_ = block;
    blocks_.back().sum += nll;
    ++blocks_.back().count;
  }
  int64_t tokens() const { return score_.tokens; }
  SliceScore score() const {
    SliceScore result = score_;
    if (std::isfinite(result.nats)) result.interval = bootstrap_interval(blocks_);
    return result;
  }

 private:
  SliceScore score_;
  std::vector<Block> blocks_;
  int64_t last_block_ = 0;
};

}  // namespace

std::optional<double> SliceScore::nats_per_token() const {
  if (tokens == 0 || !std::isfinite(nats)) return {};
  return nats / static_cast<double>(tokens);
}

std::optional<double> SliceScore::bits_per_byte() const {
  if (!bytes || *bytes == 0 || !std::isfinite(nats)) return {};
  return nats / std::numbers::ln2 / static_cast<double>(*bytes);
}

SlicedScores score_slices(const TokenFile& tokens, const Slicing& slicing,
                          const TokenScores& scores) {
  LC_CHECK(slicing.slice_of.size() == scores.targets.size());
  const std::vector<int64_t>& bytes_V = tokens.token_sizes().bytes_V;
  const bool has_bytes = tokens.header().value("lossless", true) && !bytes_V.empty();
  const BlockEnds places = block_ends(scores.targets, text_shape(tokens));
  std::vector<SliceSum> sums(slicing.slices.size(), SliceSum(has_bytes));
  SliceSum whole(has_bytes);
  size_t block = 0;
  for_each_target_id(tokens, scores.targets, [&](size_t i, int64_t id) {
    while (i >= places.ends[block]) ++block;
    const int64_t bytes = has_bytes ? bytes_V[static_cast<size_t>(id)] : -1;
    SliceSum& sum = sums.at(static_cast<size_t>(slicing.slice_of[i]));
    const bool own_blocks = slicing.blocks == SliceBlocks::kOfSlice;
    sum.add(scores.nll[i], bytes,
            own_blocks ? sum.tokens() / kBlockTokens : static_cast<int64_t>(block));
    whole.add(scores.nll[i], bytes, static_cast<int64_t>(block));
  });
  SlicedScores result{{}, whole.score(), places.unit, places.unit};
  if (slicing.blocks == SliceBlocks::kOfSlice) {
    result.blocks = std::to_string(kBlockTokens) + " tokens";
  }
  for (const SliceSum& sum : sums) result.slices.push_back(sum.score());
  return result;
}

}  // namespace lc

#include "eval/evaluator.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "data/segment_stream.h"

namespace lc {
namespace {

// Losses by target, until all are there.
class ScoreTable {
 public:
  explicit ScoreTable(int64_t tokens)
      : nll_(static_cast<size_t>(tokens)), scored_(static_cast<size_t>(tokens), 0) {}

  void add(int64_t target, double nll) {
    const auto at = static_cast<size_t>(target);
    LC_CHECK(at < nll_.size() && !scored_[at]);
    nll_[at] = nll;
    scored_[at] = 1;
  }

  TokenScores in_order(int64_t count) const {
    TokenScores scores;
    scores.targets.reserve(static_cast<size_t>(count));
    scores.nll.reserve(static_cast<size_t>(count));
    for (size_t t = 0; t < nll_.size(); ++t) {
      if (!scored_[t]) continue;
      scores.targets.push_back(static_cast<int64_t>(t));
      scores.nll.push_back(nll_[t]);
    }
    return scores;
  }

 private:
  std::vector<double> nll_;
  std::vector<char> scored_;
};

// The short segment at a run's end counts as padded whether or not a lane beside it is longer, so
// that what a model does at its end, and measures there, depends on no other lane.
void mark_short_ends(const LanePlan& plan, Segment& segment) {
  for (int64_t lane = 0; lane < segment.lanes(); ++lane) {
    if (plan.slice(lane, segment.index).count < plan.segment_length()) {
      segment.padded_B[static_cast<size_t>(lane)] = 1;
    }
  }
}

// Row `lane` of the losses, past the lead-in; returns how many were added.
int64_t add_row(const LanePlan::Slice& slice, const double* nll_T, ScoreTable& table) {
  if (slice.run == nullptr) return 0;
  const int64_t begin = std::clamp<int64_t>(slice.run->lead_in - slice.offset, 0, slice.count);
  for (int64_t t = begin; t < slice.count; ++t) {
    table.add(slice.run->first + slice.offset + t + 1, nll_T[t]);
  }
  return slice.count - begin;
}

}  // namespace

void ModelScorer::begin(int64_t lanes) {
  memory_.emplace(model_.initial_memory(lanes, MemoryUse::kInference));
}

at::Tensor ModelScorer::nll_BT(const Segment& segment) {
  LC_CHECK(memory_.has_value());
  StepResult result =
      model_.step(segment.to(model_.device()), std::move(*memory_), {.probe = probe_});
  *memory_ = std::move(result.memory);
  return result.nll_BT;
}

at::Tensor ForgetfulScorer::nll_BT(const Segment& segment) {
  Segment alone = segment;
  alone.starts_B.assign(alone.starts_B.size(), 1);
  return scorer_.nll_BT(alone);
}

TokenScores TokenScores::within(int64_t first, int64_t count) const {
  const auto begin = std::lower_bound(targets.begin(), targets.end(), first);
  const auto end = std::lower_bound(begin, targets.end(), first + count);
  const auto offset = begin - targets.begin();
  return {{begin, end}, {nll.begin() + offset, nll.begin() + offset + (end - begin)}};
}

TokenScores score_plan(SegmentScorer& scorer, const TokenFile& tokens, const EvaluationPlan& plan) {
  const c10::NoGradGuard no_gradient;
  const SegmentStream stream(tokens, plan.lanes, 0, LossPart::kAll);
  ScoreTable table(tokens.size());
  Progress progress("evaluating", plan.lanes.predictions(), "tokens");
  int64_t scored = 0;
  scorer.begin(plan.lanes.lanes());
  for (int64_t index = 0; index < stream.segments(); ++index) {
    Segment segment = stream.at(index);
    mark_short_ends(plan.lanes, segment);
    const at::Tensor nll_BT = scorer.nll_BT(segment).to(at::kCPU, at::kDouble).contiguous();
    for (int64_t lane = 0; lane < segment.lanes(); ++lane) {
      scored += add_row(plan.lanes.slice(lane, index),
                        nll_BT.const_data_ptr<double>() + lane * segment.length(), table);
    }
    progress.update(scored);
  }
  int64_t accounted = scored;
  for (const auto& [reason, count] : plan.skipped) accounted += count;
  LC_CHECK(accounted == tokens.size());
  return table.in_order(scored);
}

LeadIn lead_in_of(const LanguageModel& model, int64_t segment_length) {
  const std::optional<int64_t> reach = model.reach(segment_length);
  if (!reach) return {};
  return {(*reach + segment_length - 1) / segment_length};
}

}  // namespace lc

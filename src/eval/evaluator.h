// Scores the targets of a plan: each exactly once, in double, whatever the order of the lanes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/memory_state.h"
#include "core/segment.h"
#include "data/token_file.h"
#include "eval/plans.h"
#include "models/language_model.h"

namespace lc {

// What gives losses: segments of the same lanes come one after the other, memory is the scorer's.
class SegmentScorer {
 public:
  virtual ~SegmentScorer() = default;
  virtual void begin(int64_t lanes) = 0;                  // memory of so many lanes begins anew
  virtual at::Tensor nll_BT(const Segment& segment) = 0;  // nats, any float dtype and device
};

// A model with inference memory, without gradients and dropout.
class ModelScorer : public SegmentScorer {
 public:
  // probe: sees every step; it outlives the scorer.
  explicit ModelScorer(const LanguageModel& model, Probe* probe = nullptr)
      : model_(model), probe_(probe) {}
  void begin(int64_t lanes) override;
  at::Tensor nll_BT(const Segment& segment) override;

 private:
  const LanguageModel& model_;
  Probe* probe_;
  std::optional<MemoryState> memory_;
};

// The same model with its memory knocked out: every segment begins from initial memory.
class ForgetfulScorer : public SegmentScorer {
 public:
  explicit ForgetfulScorer(const LanguageModel& model) : scorer_(model) {}
  void begin(int64_t lanes) override { scorer_.begin(lanes); }
  at::Tensor nll_BT(const Segment& segment) override;

 private:
  ModelScorer scorer_;
};

// What was scored, in the order of the text.
struct TokenScores {
  std::vector<int64_t> targets;  // token indices, ascending
  std::vector<double> nll;       // nats, one per target

  int64_t size() const { return static_cast<int64_t>(targets.size()); }
  // Those with target in [first, first + count).
  TokenScores within(int64_t first, int64_t count) const;
};

// Checks that every target is scored once and scored + skipped = total. Shows a progress bar.
TokenScores score_plan(SegmentScorer& scorer, const TokenFile& tokens, const EvaluationPlan& plan);

// Whole segments of the given length that can change what a model gives for the segment after
// them; none: unbounded.
LeadIn lead_in_of(const LanguageModel& model, int64_t segment_length);

}  // namespace lc

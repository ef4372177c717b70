#include "eval/evaluator.h"

#include <ATen/ATen.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "catch.h"
#include "data/tiny_text.h"

namespace {

using lc::Boundaries;
using lc::EvaluationPlan;
using lc::PlanSettings;
using lc::TokenScores;

// A number that depends on every id, in order, and on the target.
double loss_of(const std::vector<int64_t>& context, int64_t target) {
  double value = 0.5;
  for (const int64_t id : context) value = std::fmod(value * 1.7 + static_cast<double>(id), 9.1);
  return std::fmod(value * 1.3 + static_cast<double>(target), 7.3);
}

// "Sees" the last `memory` inputs before the segment, and the segment up to the input.
class RecallingScorer : public lc::SegmentScorer {
 public:
  explicit RecallingScorer(size_t memory) : memory_(memory) {}

  void begin(int64_t lanes) override { seen_B_.assign(static_cast<size_t>(lanes), {}); }

  at::Tensor nll_BT(const lc::Segment& segment) override {
    at::Tensor nll_BT = at::zeros({segment.lanes(), segment.length()}, at::kDouble);
    for (int64_t b = 0; b < segment.lanes(); ++b) {
      auto& seen = seen_B_.at(static_cast<size_t>(b));
      if (segment.starts_B[static_cast<size_t>(b)]) seen.clear();
      for (int64_t t = 0; t < segment.length(); ++t) {
        if (!segment.valid_BT[b][t].item<bool>()) break;
        seen.push_back(segment.inputs_BT[b][t].item<int64_t>());
        nll_BT[b][t] = loss_of(seen, segment.targets_BT[b][t].item<int64_t>());
      }
      if (seen.size() > memory_) {
        seen.erase(seen.begin(), seen.end() - static_cast<std::ptrdiff_t>(memory_));
      }
    }
    return nll_BT;
  }

 private:
  size_t memory_;
  std::vector<std::vector<int64_t>> seen_B_;
};

void check_same(const TokenScores& a, const TokenScores& b) {
  CHECK(a.targets == b.targets);
  CHECK(a.nll == b.nll);
}

TEST_CASE("Lanes never change what a target's loss is") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<int64_t> sizes(1 + random() % 4);
    for (int64_t& tokens : sizes) tokens = 1 + static_cast<int64_t>(random() % 60);
    sizes.front() += 20;
    const lc::TokenFile text = TinyText::of_documents(sizes, 1000).file();
    PlanSettings settings;
    settings.boundaries = random() % 2 == 0 ? Boundaries::kStream : Boundaries::kReset;
    settings.segment_length = 1 + static_cast<int64_t>(random() % 8);
    settings.sequence_segments = random() % 3 == 0 ? 1 + static_cast<int64_t>(random() % 4) : 0;
    const auto memory = static_cast<int64_t>(random() % 12);
    const int64_t lead_in = (memory + settings.segment_length - 1) / settings.segment_length;
    RecallingScorer scorer(static_cast<size_t>(memory));
    settings.lanes = 1;
    const TokenScores one =
        score_plan(scorer, text, memory_plan(lc::text_shape(text), settings, {}));
    for (const int64_t lanes : {2, 3, 5, 16}) {
      settings.lanes = lanes;
      check_same(score_plan(scorer, text, memory_plan(lc::text_shape(text), settings, {lead_in})),
                 one);
    }
    settings.lanes = {};
    check_same(score_plan(scorer, text, memory_plan(lc::text_shape(text), settings, {lead_in})),
               one);
  }
}

TEST_CASE("A lead-in that is too short does change losses, so the test above can fail") {
  const lc::TokenFile text = TinyText::of_documents({200}, 1000).file();
  PlanSettings settings;
  settings.segment_length = 5;
  settings.lanes = 4;
  RecallingScorer scorer(11);
  const auto enough = score_plan(scorer, text, memory_plan(lc::text_shape(text), settings, {3}));
  const auto short_by_one =
      score_plan(scorer, text, memory_plan(lc::text_shape(text), settings, {2}));
  CHECK(enough.targets == short_by_one.targets);
  CHECK(enough.nll != short_by_one.nll);
}

TEST_CASE("A window's losses are those of a pass over exactly its context") {
  const TinyText tiny = TinyText::of_documents({50, 3, 71}, 1000);
  const lc::TokenFile text = tiny.file();
  for (const lc::Window window : {lc::Window{9, 4}, {9, 9}, {1, 1}, {200, 7}}) {
    PlanSettings settings;
    settings.boundaries = Boundaries::kReset;
    settings.segment_length = 4;
    RecallingScorer scorer(1000);
    const EvaluationPlan plan = window_plan(lc::text_shape(text), settings, window);
    const TokenScores scores = score_plan(scorer, text, plan);
    CHECK(scores.size() == 49 + 2 + 70);
    for (size_t i = 0; i < scores.targets.size(); ++i) {
      const int64_t target = scores.targets[i];
      int64_t begin = 0;
      for (const auto& document : tiny.documents) {
        if (document.first_token < target) begin = document.first_token;
      }
      const int64_t input = target - 1 - begin;
      const int64_t k = input < window.length ? 0 : (input - window.length) / window.stride + 1;
      const std::vector<int64_t> context(tiny.ids.begin() + begin + k * window.stride,
                                         tiny.ids.begin() + target);
      CHECK(scores.nll[i] == loss_of(context, tiny.ids[static_cast<size_t>(target)]));
    }
  }
}

TEST_CASE("Scores of a part of the text") {
  const TokenScores scores{{2, 3, 5, 9}, {0.2, 0.3, 0.5, 0.9}};
  CHECK(scores.within(3, 3).targets == std::vector<int64_t>{3, 5});
  CHECK(scores.within(3, 3).nll == std::vector<double>{0.3, 0.5});
  CHECK(scores.within(6, 3).size() == 0);
  CHECK(scores.within(0, 100).size() == 4);
}

}  // namespace

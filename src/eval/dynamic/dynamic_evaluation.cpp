#include "eval/dynamic/dynamic_evaluation.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "data/segment_stream.h"

namespace lc {
namespace {

constexpr const char* kDynamicFlag = "--dynamic";
constexpr int64_t kFirstPoint = 64;  // targets, of the curve along the text

// Gives losses and leaves the gradient of the mean over the segment's own targets in the weights.
// 0 targets: no gradient.
class LearningPass {
 public:
  explicit LearningPass(const LanguageModel& model)
      : model_(model), memory_(model.initial_memory(1, MemoryUse::kTraining)) {}

  struct Result {
    at::Tensor nll_BT;
    std::optional<double> loss;
  };
  Result run(const Segment& segment) {
    const c10::AutoGradMode with_gradient(true);
    const Segment here = segment.to(model_.device());
    StepResult result = model_.step(here, std::move(memory_), {});
    memory_ = result.memory.detach();
    const double targets = here.weights_BT.sum(at::kDouble).item<double>();
    if (targets == 0) return {result.nll_BT.detach(), {}};
    const at::Tensor loss =
        (result.nll_BT * here.weights_BT.to(result.nll_BT.scalar_type())).sum() / targets;
    loss.backward();
    return {result.nll_BT.detach(), loss.item<double>()};
  }

 private:
  const LanguageModel& model_;
  MemoryState memory_;
};

// Scores with weights that learn.
class LearningScorer : public SegmentScorer {
 public:
  // fresh: segments before which the trained weights are put back.
  LearningScorer(LanguageModel& model, DynamicWeights& weights, std::set<int64_t> fresh)
      : model_(model), weights_(weights), fresh_(std::move(fresh)) {}

  void begin(int64_t lanes) override {
    LC_CHECK(lanes == 1);
    pass_.emplace(model_);
  }

  at::Tensor nll_BT(const Segment& segment) override {
    if (fresh_.contains(segment.index)) weights_.restore();
    const LearningPass::Result result = pass_->run(segment);
    if (!result.loss) return result.nll_BT;
    if (!std::isfinite(*result.loss)) {
      throw Error(ErrorKind::kDiverged, kDynamicFlag,
                  "the loss of segment " + std::to_string(segment.index + 1) +
                      " is not finite, so nothing can be learned from it",
                  "choose a smaller --dynamic-lr");
    }
    weights_.learn();
    return result.nll_BT;
  }

 private:
  LanguageModel& model_;
  DynamicWeights& weights_;
  std::set<int64_t> fresh_;
  std::optional<LearningPass> pass_;
};

// One lane that meets the targets in the order of the text.
LanePlan in_text_order(const LanePlan& plan) {
  std::vector<Run> runs;
  for (int64_t lane = 0; lane < plan.lanes(); ++lane) {
    runs.insert(runs.end(), plan.runs(lane).begin(), plan.runs(lane).end());
  }
  std::sort(runs.begin(), runs.end(),
            [](const Run& a, const Run& b) { return a.first + a.lead_in < b.first + b.lead_in; });
  return LanePlan({std::move(runs)}, plan.segment_length());
}

// The segments with which a document begins.
std::set<int64_t> document_begins(const LanePlan& plan, const TextShape& text) {
  std::set<int64_t> first_tokens;
  for (const auto& document : text.documents) first_tokens.insert(document.first);
  std::set<int64_t> segments;
  for (int64_t s = 0; s < plan.segments(); ++s) {
    const LanePlan::Slice slice = plan.slice(0, s);
    if (slice.offset == 0 && first_tokens.contains(slice.run->first)) segments.insert(s);
  }
  return segments;
}

// Root mean squares of gradients, by weight, and the segments of the training text they are of.
struct GradientStatistics {
  std::vector<at::Tensor> root_mean;
  int64_t segments = 0;
};

// None for sgd.
GradientStatistics gradient_statistics(const LanguageModel& model,
                                       const EvaluationSettings& settings,
                                       const DynamicSettings& dynamic) {
  if (dynamic.step.rule == DynamicRule::kSgd) return {};
  EvaluationSettings on_train = settings;
  on_train.tokens = {};
  on_train.lanes = 1;
  check_vocabulary(model, *dynamic.train);
  const SplitPlan planned = plan_split(model, *dynamic.train, on_train);
  const SegmentStream stream(*dynamic.train, in_text_order(planned.plan.lanes), 0, LossPart::kAll);
  const int64_t count = std::min(stream.segments(), dynamic.statistics_segments);
  GradientSquares squares(model);
  LearningPass pass(model);
  Progress progress("gradient statistics", count, "segments");
  for (int64_t s = 0; s < count; ++s) {
    pass.run(stream.at(s));
    squares.add(model);
    progress.update(s + 1);
  }
  return {squares.root_mean(), count};
}

std::vector<DynamicPoint> points_along(const TokenScores& learned, const TokenScores& plain) {
  LC_CHECK(learned.targets == plain.targets);
  std::vector<int64_t> counts;
  for (int64_t n = learned.size(); n >= kFirstPoint || counts.empty(); n /= 2) counts.push_back(n);
  std::reverse(counts.begin(), counts.end());
  std::vector<DynamicPoint> points;
  double sum = 0;
  double plain_sum = 0;
  size_t done = 0;
  for (const int64_t count : counts) {
    for (; done < static_cast<size_t>(count); ++done) {
      sum += learned.nll[done];
      plain_sum += plain.nll[done];
    }
    const auto targets = static_cast<double>(count);
    points.push_back({count, sum / targets, plain_sum / targets});
  }
  return points;
}

nlohmann::json dynamic_protocol(const EvaluationSettings& settings, const DynamicStep& step,
                                const GradientStatistics& statistics) {
  nlohmann::json protocol{
      {"rule", name_of(step.rule)},
      {"lr", step.learning_rate},
      {"decay", step.decay},
      {"begins_anew", settings.boundaries == Boundaries::kReset ? "at each document" : "never"}};
  if (step.rule == DynamicRule::kRms) {
    protocol["epsilon"] = step.epsilon;
    protocol["statistics_segments"] = statistics.segments;
  }
  return protocol;
}

void check_number(const char* flag, double value, const char* range, bool fits) {
  if (std::isfinite(value) && fits) return;
  throw Error(ErrorKind::kUsage, flag, "value " + nlohmann::json(value).dump() + " is not " + range,
              "choose another one");
}

}  // namespace

void check_dynamic(const DynamicSettings& dynamic) {
  const DynamicStep& step = dynamic.step;
  check_number("--dynamic-lr", step.learning_rate, "a rate from 0 on", step.learning_rate >= 0);
  check_number("--dynamic-decay", step.decay, "a share between 0 and 1",
               step.decay >= 0 && step.decay <= 1);
  check_number("--dynamic-epsilon", step.epsilon, "above 0", step.epsilon > 0);
}

DynamicEvaluation evaluate_dynamically(const ModelSource& source, const TokenFile& tokens,
                                       const EvaluationSettings& settings,
                                       const DynamicSettings& dynamic) {
  check_dynamic(dynamic);
  if (settings.lanes.value_or(1) != 1 || settings.lane_split == LaneSplit::kReference) {
    throw Error(ErrorKind::kUsage, kDynamicFlag,
                "the text is learned from in its order, which lanes side by side would change",
                "leave out --lanes, and the lane split \"reference\"");
  }
  if (dynamic.step.rule == DynamicRule::kRms && !dynamic.train) {
    throw Error(ErrorKind::kUsage, kDynamicFlag,
                "\"rms\" takes its statistics from the training text, which isn't there",
                "choose \"sgd\", or score a split of the run's own text");
  }
  EvaluationSettings one_lane = settings;
  one_lane.lanes = 1;
  SplitPlan planned = plan_split(source.model, tokens, one_lane);
  planned.plan.lanes = in_text_order(planned.plan.lanes);

  const auto learner = rebuild(source.model, source.config);
  GradientStatistics statistics = gradient_statistics(*learner, one_lane, dynamic);
  planned.protocol["dynamic"] = dynamic_protocol(settings, dynamic.step, statistics);
  DynamicWeights weights(*learner, dynamic.step, std::move(statistics.root_mean));
  const TextShape text = text_shape(tokens);
  const bool anew = settings.boundaries == Boundaries::kReset;
  LearningScorer scorer(*learner, weights,
                        anew ? document_begins(planned.plan.lanes, text) : std::set<int64_t>{});
  TokenScores learned = score_plan(scorer, tokens, planned.plan);
  ModelScorer trained(source.model);
  const TokenScores plain = score_plan(trained, tokens, planned.plan);

  DynamicComparison comparison{measure(tokens, plain), paired_difference(learned, plain, text),
                               points_along(learned, plain)};
  return {make_evaluation(tokens, planned.plan, std::move(learned), std::move(planned.protocol)),
          std::move(comparison)};
}

nlohmann::json DynamicComparison::to_json() const {
  nlohmann::json points = nlohmann::json::array();
  for (const DynamicPoint& point : along) {
    points.push_back({{"tokens", point.tokens},
                      {"nats_per_token", point.nats},
                      {"plain_nats_per_token", point.plain_nats}});
  }
  nlohmann::json gain{{"nats_per_token", difference.nats_per_token},
                      {"nats_low", nullptr},
                      {"nats_high", nullptr},
                      {"tokens", difference.tokens}};
  if (difference.interval) {
    gain["nats_low"] = difference.interval->low;
    gain["nats_high"] = difference.interval->high;
  }
  return {{"plain", measures_json(plain)}, {"difference", gain}, {"along", std::move(points)}};
}

}  // namespace lc

#include "eval/speed.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/stopwatch.h"
#include "eval/contexts/context_sweep.h"
#include "eval/plans.h"

namespace lc {
namespace {

constexpr int64_t kUsualTargets = 256;

// What counts as work: lead-ins are part of a window, but memory pays its own once a text.
enum class Timed { kEverySegment, kSegmentsWithTargets };

struct Spent {
  double cpu_seconds = 0;
  double wall_seconds = 0;
  int64_t inputs = 0;
};

// Another scorer with a clock beside it.
class TimedScorer : public SegmentScorer {
 public:
  TimedScorer(SegmentScorer& scorer, Timed timed) : scorer_(scorer), timed_(timed) {}

  void begin(int64_t lanes) override { scorer_.begin(lanes); }

  at::Tensor nll_BT(const Segment& segment) override {
    const bool counts = timed_ == Timed::kEverySegment || segment.weights_BT.any().item<bool>();
    const Stopwatch clock;
    at::Tensor nll_BT = scorer_.nll_BT(segment).to(at::kCPU);  // waits for the device
    if (!counts) return nll_BT;
    spent_.cpu_seconds += clock.cpu_seconds();
    spent_.wall_seconds += clock.seconds();
    spent_.inputs += segment.valid_BT.sum().item<int64_t>();
    return nll_BT;
  }

  const Spent& spent() const { return spent_; }

 private:
  SegmentScorer& scorer_;
  Timed timed_;
  Spent spent_;
};

double median(std::vector<double> values) {
  LC_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Of those targets, all of which were scored.
double mean_nats(const TokenScores& scores, const std::vector<int64_t>& targets) {
  double nats = 0;
  auto place = scores.targets.begin();
  for (const int64_t target : targets) {
    place = std::lower_bound(place, scores.targets.end(), target);
    LC_CHECK(place != scores.targets.end() && *place == target);
    nats += scores.nll[static_cast<size_t>(place - scores.targets.begin())];
  }
  return nats / static_cast<double>(targets.size());
}

// One of the two ways to score, run again and again. What it costs is divided by all the targets
// that it scores.
class Way {
 public:
  Way(EvaluationPlan plan, Timed timed) : plan_(std::move(plan)), timed_(timed) {}

  const EvaluationPlan& plan() const { return plan_; }

  void warm_up(const LanguageModel& model, const TokenFile& tokens) { run(model, tokens); }

  void time(const LanguageModel& model, const TokenFile& tokens) {
    const Spent spent = run(model, tokens);
    const auto targets = static_cast<double>(scores_.size());
    cpu_seconds_.push_back(spent.cpu_seconds / targets);
    wall_seconds_.push_back(spent.wall_seconds / targets);
    inputs_ = static_cast<double>(spent.inputs) / targets;
  }

  const TokenScores& scores() const { return scores_; }

  Pace pace(const std::vector<int64_t>& targets) const {
    return {median(cpu_seconds_),        median(wall_seconds_), inputs_,
            mean_nats(scores_, targets), scores_.size(),        plan_.lanes.lanes()};
  }

 private:
  Spent run(const LanguageModel& model, const TokenFile& tokens) {
    ModelScorer scorer(model);
    TimedScorer timed(scorer, timed_);
    scores_ = score_plan(timed, tokens, plan_);
    return timed.spent();
  }

  EvaluationPlan plan_;
  Timed timed_;
  TokenScores scores_;
  std::vector<double> cpu_seconds_;
  std::vector<double> wall_seconds_;
  double inputs_ = 0;
};

// Side by side as usual, but so many that the last call is as full as those before it.
EvaluationPlan evened(const EvaluationPlan& usual, const PlanSettings& settings, Window window,
                      const std::function<EvaluationPlan(const PlanSettings&)>& plan_with) {
  const int64_t windows = usual.lanes.predictions() / window.stride;
  if (windows == 0) return usual;
  const int64_t calls = (windows + usual.lanes.lanes() - 1) / usual.lanes.lanes();
  PlanSettings even = settings;
  even.lanes = (windows + calls - 1) / calls;
  return plan_with(even);
}

struct Ways {
  Way evaluation;
  Way sliding;
};

Ways ways_of(const LanguageModel& model, const Config& config, const TextShape& text,
             const PlanSettings& settings, int64_t context) {
  const Window by_one{context + 1, 1};
  PlanSettings windows = settings;
  windows.sequence_segments = 0;
  windows.lanes = {};
  // Where segments don't change what a window gives, it runs in one piece, which is fastest.
  if (!model.has_memory() || spans_memory(config)) windows.segment_length = by_one.length;
  const auto slide = [&](const PlanSettings& how) { return window_plan(text, how, by_one); };
  Way sliding(evened(slide(windows), windows, by_one, slide), Timed::kEverySegment);
  if (model.has_memory()) {
    // No segment is cut short: what it costs grows with its square.
    PlanSettings whole = settings;
    const int64_t length = settings.segment_length;
    whole.targets.limit = (*settings.targets.limit + length - 1) / length * length;
    return {Way(memory_plan(text, whole, lead_in_of(model, length)), Timed::kSegmentsWithTargets),
            std::move(sliding)};
  }
  const Window by_half{by_one.length, std::max<int64_t>(by_one.length / 2, 1)};
  const auto hop = [&](const PlanSettings& how) { return whole_window_plan(text, how, by_half); };
  return {Way(evened(hop(windows), windows, by_half, hop), Timed::kEverySegment),
          std::move(sliding)};
}

SpeedPoint measure_point(const ModelSource& source, const TokenFile& tokens,
                         const SpeedSettings& settings, int64_t context) {
  const Config config = context_config(source, ContextMode::kStrict, context);
  const auto model = rebuild(source.model, config);
  const EvaluationSettings& own = settings.evaluation;
  const int64_t longest = settings.contexts.back();
  // Whole segments before the first target, so that none is cut.
  const int64_t predecessors =
      (longest + own.segment_length - 1) / own.segment_length * own.segment_length;
  const PlanSettings plan{.boundaries = own.boundaries,
                          .segment_length = own.segment_length,
                          .sequence_segments = own.sequence_segments,
                          .lanes = 1,
                          .targets = {predecessors, own.tokens.value_or(kUsualTargets)}};
  Ways ways = ways_of(*model, config, text_shape(tokens), plan, context);
  if (ways.sliding.plan().lanes.predictions() == 0) {
    throw Error(ErrorKind::kData, "--context",
                "no token of the split has " + std::to_string(predecessors) +
                    " tokens before its own input",
                "ask for shorter contexts, or give a longer text");
  }
  for (Way* way : {&ways.evaluation, &ways.sliding}) way->warm_up(*model, tokens);
  for (int64_t r = 0; r < settings.repetitions; ++r) {
    for (Way* way : {&ways.evaluation, &ways.sliding}) way->time(*model, tokens);
  }
  const std::vector<int64_t>& targets = ways.sliding.scores().targets;
  return {context, ways.sliding.scores().size(), ways.evaluation.pace(targets),
          ways.sliding.pace(targets)};
}

nlohmann::json pace_json(const Pace& pace) {
  return {{"cpu_seconds_per_token", pace.cpu_seconds},
          {"wall_seconds_per_token", pace.wall_seconds},
          {"inputs_per_token", pace.inputs},
          {"nats_per_token", pace.nats},
          {"targets", pace.targets},
          {"lanes", pace.lanes}};
}

}  // namespace

SpeedTest speed_test(const ModelSource& source, const TokenFile& tokens,
                     const SpeedSettings& settings) {
  LC_CHECK(!settings.contexts.empty() && settings.repetitions > 0);
  check_vocabulary(source.model, tokens);
  SpeedSettings sorted = settings;
  std::sort(sorted.contexts.begin(), sorted.contexts.end());
  sorted.contexts.erase(std::unique(sorted.contexts.begin(), sorted.contexts.end()),
                        sorted.contexts.end());
  if (sorted.contexts.front() < 1) {
    throw Error(ErrorKind::kUsage, "--context", "0 leaves no context to carry or to slide over",
                "give lengths from 1 on");
  }
  if (!source.model.has_memory()) check_window_length(source.config, sorted.contexts.back());
  SpeedTest test;
  for (const int64_t context : sorted.contexts) {
    test.points.push_back(measure_point(source, tokens, sorted, context));
  }
  test.protocol = model_protocol(source.config);
  const bool spans = spans_memory(source.config);
  if (spans) test.protocol["memory"] = "context";
  test.protocol["evaluation"] = spans || source.model.has_memory() ? "memory" : "windows";
  test.protocol["segment"] = settings.evaluation.segment_length;
  test.protocol["boundaries"] =
      settings.evaluation.boundaries == Boundaries::kStream ? "stream" : "reset";
  test.protocol["repetitions"] = settings.repetitions;
  test.protocol["threads"] = at::get_num_threads();
  test.protocol["device"] = source.model.device().str();
  return test;
}

nlohmann::json SpeedTest::to_json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const SpeedPoint& point : points) {
    list.push_back({{"context", point.context},
                    {"targets", point.targets},
                    {"evaluation", pace_json(point.evaluation)},
                    {"sliding", pace_json(point.sliding)},
                    {"cpu_ratio", point.cpu_ratio()},
                    {"wall_ratio", point.wall_ratio()},
                    {"theory_ratio", point.theory()}});
  }
  return {{"speed", std::move(list)}, {"protocol", protocol}};
}

}  // namespace lc

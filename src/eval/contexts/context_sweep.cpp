#include "eval/contexts/context_sweep.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/number_text.h"
#include "eval/plans.h"
#include "models/registry.h"

namespace lc {
namespace {

constexpr const char* kMemory = "memory";
constexpr const char* kSpan = "span";

// Whether such a model reads a window in one piece, whatever its runtime values.
bool window_is_segment(const Config& config) {
  return !model_entry(config.get<std::string>("model.type")).overrides.contains(kMemory);
}

void check(const ModelSource& source, const ContextSettings& settings) {
  LC_CHECK(!settings.contexts.empty());
  if (settings.mode == ContextMode::kStrict) {
    return check_window_length(
        source.config, *std::max_element(settings.contexts.begin(), settings.contexts.end()));
  }
  const std::string place = "--context-mode";
  if (!spans_memory(source.config)) {
    throw Error(ErrorKind::kUsage, place,
                "\"span\" needs a model with memory and an attention span, not " +
                    source.config.get<std::string>("model.type"),
                "choose \"strict\"");
  }
  if (settings.evaluation.sequence_segments > 0) {
    throw Error(ErrorKind::kUsage, place,
                "\"span\" needs memory that never begins anew, but data.sequence_segments is " +
                    std::to_string(settings.evaluation.sequence_segments),
                "choose \"strict\"");
  }
}

PlanSettings plan_settings(const ContextSettings& settings, int64_t predecessors) {
  return {.boundaries = settings.evaluation.boundaries,
          .segment_length = settings.evaluation.segment_length,
          .lanes = settings.evaluation.lanes,
          .targets = {.predecessors = predecessors, .limit = settings.evaluation.tokens}};
}

void check_targets(const EvaluationPlan& plan, int64_t predecessors) {
  if (plan.lanes.predictions() > 0) return;
  throw Error(
      ErrorKind::kData, "context",
      "no token of the split has " + std::to_string(predecessors) + " tokens before its own input",
      "ask for shorter contexts, or give a longer text");
}

ContextPoint measure_context(const ModelSource& source, const TokenFile& tokens,
                             const ContextSettings& settings, int64_t context,
                             int64_t predecessors) {
  const Config config = context_config(source, settings.mode, context);
  const auto model = rebuild(source.model, config);
  PlanSettings plan_for = plan_settings(settings, predecessors);
  const TextShape text = text_shape(tokens);
  const bool strict = settings.mode == ContextMode::kStrict;
  Window window = context_window(context);
  if (settings.stride) window.stride = std::min(*settings.stride, window.length);
  if (strict && window_is_segment(config) && !model->has_memory()) {
    plan_for.segment_length = window.length;
  }
  const EvaluationPlan plan =
      strict ? window_plan(text, plan_for, window)
             : memory_plan(text, plan_for, lead_in_of(*model, plan_for.segment_length));
  check_targets(plan, predecessors);

  nlohmann::json protocol = model_protocol(config);
  protocol["mode"] = name_of(settings.mode);
  protocol["context"] = context;
  protocol["segment"] = plan_for.segment_length;
  protocol["boundaries"] =
      settings.evaluation.boundaries == Boundaries::kStream ? "stream" : "reset";
  protocol["window"] = strict ? nlohmann::json(window.length) : nlohmann::json();
  protocol["stride"] = strict ? nlohmann::json(window.stride) : nlohmann::json();
  ModelScorer scorer(*model);
  TokenScores scores = score_plan(scorer, tokens, plan);
  const double visible =
      strict ? plan.mean_visible
             : mean_visible_in_reach(plan.lanes, context * config.get<int64_t>("model.layers"));
  return {context, visible, make_evaluation(tokens, plan, std::move(scores), std::move(protocol))};
}

// Windows and strides in the order of the contexts.
nlohmann::json sweep_protocol(const ContextSettings& settings,
                              const std::vector<ContextPoint>& points) {
  const Evaluation& any = points.back().evaluation;
  nlohmann::json windows;
  nlohmann::json strides;
  if (settings.mode == ContextMode::kStrict) {
    for (const ContextPoint& point : points) {
      windows.push_back(point.evaluation.protocol.at("window"));
      strides.push_back(point.evaluation.protocol.at("stride"));
    }
  }
  return {{"mode", name_of(settings.mode)},
          {"window", std::move(windows)},
          {"stride", std::move(strides)},
          {"predecessors", settings.contexts.back()},
          {"tokens_limit", settings.evaluation.tokens ? nlohmann::json(*settings.evaluation.tokens)
                                                      : nlohmann::json()},
          {"tokens_scored", any.measures.tokens_scored},
          {"skipped", any.skipped},
          {"intervals", any.protocol.at("intervals").at("blocks")}};
}

}  // namespace

std::string name_of(ContextMode mode) { return mode == ContextMode::kStrict ? "strict" : "span"; }

bool spans_memory(const Config& config) {
  const auto& flags = model_entry(config.get<std::string>("model.type")).overrides;
  return flags.contains(kMemory) && flags.contains(kSpan);
}

Config context_config(const ModelSource& source, ContextMode mode, int64_t context) {
  if (!spans_memory(source.config)) return source.config;
  if (mode == ContextMode::kSpan) {
    return with_runtime_values(source.table, source.config, {{kMemory, context}, {kSpan, "fixed"}});
  }
  // In the reference's count the input itself is one of the memory_length visible keys.
  const bool counts_itself = model_protocol(source.config).at(kSpan) == "reference";
  return with_runtime_values(source.table, source.config,
                             {{kMemory, counts_itself ? context + 1 : context}});
}

void check_window_length(const Config& config, int64_t context) {
  if (!window_is_segment(config)) return;
  check_segment_length(config, {context_window(context).length, "context " + grouped(context)});
}

ContextSweep context_sweep(const ModelSource& source, const TokenFile& tokens,
                           const ContextSettings& settings) {
  check(source, settings);
  check_vocabulary(source.model, tokens);
  ContextSettings sorted = settings;
  std::vector<int64_t>& contexts = sorted.contexts;
  std::sort(contexts.begin(), contexts.end());
  contexts.erase(std::unique(contexts.begin(), contexts.end()), contexts.end());

  ContextSweep sweep;
  for (const int64_t context : contexts) {
    sweep.points.push_back(measure_context(source, tokens, sorted, context, contexts.back()));
  }
  sweep.protocol = sweep_protocol(sorted, sweep.points);
  return sweep;
}

nlohmann::json ContextSweep::contexts_json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const ContextPoint& point : points) {
    const Measures& measures = point.evaluation.measures;
    nlohmann::json row{{"context", point.context},
                       {"nats_per_token", optional_number(measures.nats_per_token)},
                       {"bits_per_byte", optional_number(measures.bits_per_byte)},
                       {"perplexity", optional_number(measures.perplexity)},
                       {"nats_low", nullptr},
                       {"nats_high", nullptr},
                       {"mean_visible", point.mean_visible}};
    if (measures.nats_interval) {
      row["nats_low"] = measures.nats_interval->low;
      row["nats_high"] = measures.nats_interval->high;
    }
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace lc

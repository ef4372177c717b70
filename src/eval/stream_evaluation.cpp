#include "eval/stream_evaluation.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.h"
#include "eval/diagnosis.h"
#include "eval/evaluation_model.h"
#include "eval/plans.h"

namespace lc {
namespace {

std::optional<int64_t> optional_integer(const Config& config, std::string_view path) {
  if (config.is_null(path)) return {};
  return config.get<int64_t>(path);
}

template <typename T>
nlohmann::json or_null(const std::optional<T>& value) {
  if (!value) return nullptr;
  return *value;
}

struct Chosen {
  EvaluationPlan plan;
  std::string mode;  // memory, windows, segments or reference_lanes
  std::optional<Window> window;
};

Chosen choose_plan(const LanguageModel& model, const TokenFile& tokens,
                   const EvaluationSettings& settings) {
  const PlanSettings plan{.boundaries = settings.boundaries,
                          .segment_length = settings.segment_length,
                          .sequence_segments = settings.sequence_segments,
                          .lanes = settings.lanes,
                          .targets = {.limit = settings.tokens}};
  if (settings.stride && (model.has_memory() || settings.lane_split == LaneSplit::kReference)) {
    throw Error(ErrorKind::kUsage, "--stride",
                "value " + std::to_string(*settings.stride) + " has no windows to apply to",
                "leave it out: only a model without memory, evaluated with the exact lane split, "
                "slides a window");
  }
  if (settings.lane_split == LaneSplit::kReference) {
    return {reference_plan(tokens.size(), plan), "reference_lanes", {}};
  }
  const TextShape text = text_shape(tokens);
  if (model.has_memory()) {
    return {memory_plan(text, plan, lead_in_of(model, settings.segment_length)), "memory", {}};
  }
  const int64_t length = settings.segment_length;
  const Window window{length, settings.stride.value_or(std::max<int64_t>(length / 2, 1))};
  if (window.stride > window.length) {
    throw Error(ErrorKind::kUsage, "--stride",
                "value " + std::to_string(window.stride) + " is longer than the window of " +
                    std::to_string(window.length) + " tokens and would leave tokens out",
                "choose a stride of at most the window");
  }
  return {window_plan(text, plan, window), window.stride == window.length ? "segments" : "windows",
          window};
}

nlohmann::json plan_protocol(const Chosen& chosen, const EvaluationSettings& settings) {
  nlohmann::json protocol = settings.model;
  protocol["mode"] = chosen.mode;
  protocol["boundaries"] = settings.boundaries == Boundaries::kStream ? "stream" : "reset";
  protocol["segment"] = settings.segment_length;
  protocol["sequence_segments"] = settings.sequence_segments;
  protocol["lane_split"] = settings.lane_split == LaneSplit::kExact ? "exact" : "reference";
  protocol["tokens_limit"] = or_null(settings.tokens);
  protocol["window"] = nullptr;
  protocol["stride"] = nullptr;
  if (chosen.window) {
    protocol["window"] = chosen.window->length;
    protocol["stride"] = chosen.window->stride;
  }
  return protocol;
}

// What is known of the text and its tokens.
void add_text_protocol(const TokenFile& tokens, nlohmann::json& protocol) {
  const nlohmann::json& header = tokens.header();
  for (const char* key : {"corpus", "split", "official", "tokenizer", "lossless"}) {
    protocol[key] = header.value(key, nlohmann::json());
  }
  const auto unknown = header.find("unknown");
  const bool some = unknown != header.end() && unknown->value("count", int64_t{0}) > 0;
  protocol["unknown_rate"] = some ? unknown->at("rate") : nlohmann::json();
  protocol["tokenizer_hash"] = tokens.tokenizer_hash();
  protocol["documents"] = tokens.documents().size();
}

void add_measure_protocol(const Measures& measures, nlohmann::json& protocol) {
  protocol["reasons"] = measures.reasons;
  protocol["units"] = {{"bytes", or_null(measures.units.bytes)},
                       {"characters", or_null(measures.units.characters)},
                       {"words", or_null(measures.units.words)},
                       {"words_own", or_null(measures.units.own_words)},
                       {"words_counted", measures.units.words_reason}};
  nlohmann::json interval{{"method", "block bootstrap"},
                          {"level", 0.95},
                          {"resamples", kResamples},
                          {"seed", kBootstrapSeed},
                          {"blocks", measures.interval_blocks},
                          {"block_count", measures.interval_block_count}};
  interval.update(intervals_json(measures));
  protocol["intervals"] = interval;
}

}  // namespace

std::vector<Option> eval_options() {
  return {Option::integer("eval.every", 1000)
              .at_least(0)
              .in("steps")
              .taken_on_resume()
              .says("Evaluate the valid split every so many steps; 0: never."),
          Option::integer("eval.tokens", nullptr)
              .at_least(1)
              .or_null()
              .in("tokens")
              .taken_on_resume()
              .says("Score the first so many targets only; null: the whole split."),
          Option::integer("eval.lanes", nullptr)
              .at_least(1)
              .or_null()
              .taken_on_resume()
              .says("Lanes side by side; they never change a result; null: chosen from the work."),
          Option::integer("eval.segment_length", nullptr)
              .at_least(1)
              .at_most(kLongestLength)
              .or_null()
              .in("tokens")
              .taken_on_resume()
              .says("Segment length in evaluation, or the window of a model without memory; null: "
                    "as in training."),
          Option::integer("eval.memory_length", nullptr)
              .at_least(0)
              .at_most(kLongestLength)
              .or_null()
              .in("tokens")
              .taken_on_resume()
              .says("Memory length in evaluation; null: as in training."),
          Option::integer("eval.compressed_length", nullptr)
              .at_least(0)
              .at_most(kLongestLength)
              .or_null()
              .in("slots")
              .taken_on_resume()
              .says("Compressed memory length in evaluation; null: as in training."),
          Option::boolean("eval.knock_out", false)
              .taken_on_resume()
              .says("Score the valid split a second time with memory zeroed before each segment; "
                    "nothing for models without memory.")};
}

EvaluationSettings evaluation_settings(const Config& config) {
  EvaluationSettings settings;
  settings.segment_length = optional_integer(config, "eval.segment_length")
                                .value_or(config.get<int64_t>("train.segment_length"));
  settings.boundaries = boundaries(config);
  settings.sequence_segments = config.get<int64_t>("data.sequence_segments");
  settings.lane_split = lane_split(config);
  settings.lanes = optional_integer(config, "eval.lanes");
  if (settings.lane_split == LaneSplit::kReference && !settings.lanes) {
    settings.lanes = config.get<int64_t>("train.lanes");
  }
  settings.tokens = optional_integer(config, "eval.tokens");
  settings.model = model_protocol(config);
  return settings;
}

int64_t Evaluation::tokens_skipped() const {
  int64_t total = 0;
  for (const auto& [reason, count] : skipped) total += count;
  return total;
}

nlohmann::json Evaluation::to_json() const {
  nlohmann::json json = measures_json(measures);
  json["tokens_total"] = tokens_total;
  json["tokens_scored"] = measures.tokens_scored;
  json["tokens_skipped"] = tokens_skipped();
  json["protocol"] = protocol;
  if (!measured.is_null()) json["measured"] = measured;
  if (without_memory) json["without_memory"] = measures_json(*without_memory);
  return json;
}

Evaluation make_evaluation(const TokenFile& tokens, const EvaluationPlan& plan, TokenScores scores,
                           nlohmann::json protocol) {
  Evaluation evaluation;
  evaluation.measures = measure(tokens, scores);
  evaluation.tokens_total = tokens.size();
  for (const auto& [reason, count] : plan.skipped) {
    if (count > 0) evaluation.skipped[reason] = count;
  }
  evaluation.scores = std::move(scores);
  evaluation.protocol = std::move(protocol);
  evaluation.protocol["lanes"] = plan.lanes.lanes();
  evaluation.protocol["lead_in"] = plan.lead_in;
  evaluation.protocol["skipped"] = evaluation.skipped;
  add_text_protocol(tokens, evaluation.protocol);
  add_measure_protocol(evaluation.measures, evaluation.protocol);
  return evaluation;
}

void check_vocabulary(const LanguageModel& model, const TokenFile& tokens) {
  if (tokens.vocab_size() == model.vocab_size()) return;
  throw Error(ErrorKind::kData, "evaluation",
              "the text has a vocabulary of " + std::to_string(tokens.vocab_size()) +
                  ", the model one of " + std::to_string(model.vocab_size()),
              "prepare the text with the tokenizer that the model was trained with");
}

SplitPlan plan_split(const LanguageModel& model, const TokenFile& tokens,
                     const EvaluationSettings& settings) {
  Chosen chosen = choose_plan(model, tokens, settings);
  if (chosen.plan.lanes.predictions() == 0) {
    const std::string split = tokens.header().value("split", "");
    throw Error(ErrorKind::kData, split.empty() ? "evaluation" : split + " split",
                std::to_string(tokens.size()) + " tokens hold nothing to score",
                "give a longer text");
  }
  nlohmann::json protocol = plan_protocol(chosen, settings);
  return {std::move(chosen.plan), std::move(protocol)};
}

Evaluation evaluate_observed(const LanguageModel& model, const TokenFile& tokens,
                             const EvaluationSettings& settings, Probe* probe) {
  check_vocabulary(model, tokens);
  SplitPlan split = plan_split(model, tokens, settings);
  ModelScorer scorer(model, probe);
  TokenScores scores = score_plan(scorer, tokens, split.plan);
  return make_evaluation(tokens, split.plan, std::move(scores), std::move(split.protocol));
}

Evaluation evaluate_split(const LanguageModel& model, const TokenFile& tokens,
                          const EvaluationSettings& settings) {
  if (settings.diagnosis == Diagnosis::kNone) {
    return evaluate_observed(model, tokens, settings, nullptr);
  }
  DiagnosisProbe probe;
  Evaluation evaluation = evaluate_observed(model, tokens, settings, &probe);
  evaluation.measured = probe.to_json();
  if (settings.diagnosis == Diagnosis::kKnockOut && model.has_memory()) {
    ForgetfulScorer forgetful(model);
    const EvaluationPlan plan = plan_split(model, tokens, settings).plan;
    evaluation.without_memory = measure(tokens, score_plan(forgetful, tokens, plan));
  }
  return evaluation;
}

}  // namespace lc

// The evaluation of a split, as lceval does it by default and training does it periodically.
//
// A model with memory reads the split with its memory carried on; one without slides a window over
// it; with lane_split "reference" both do what the reference does (PROTOCOL, evaluation).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "config/config.h"
#include "data/text_runs.h"
#include "data/token_file.h"
#include "eval/evaluator.h"
#include "eval/metrics.h"
#include "models/language_model.h"

namespace lc {

// The rows of section "eval": every, tokens, lanes, segment_length, memory_length,
// compressed_length, knock_out.
std::vector<Option> eval_options();

// What is found out beside the losses: nothing, what the model measures of itself while it is
// scored, or that and the losses with memory knocked out, which takes a second pass.
enum class Diagnosis { kNone, kMeasures, kKnockOut };

struct EvaluationSettings {
  int64_t segment_length = 1;  // of a model without memory: its window
  Boundaries boundaries = Boundaries::kStream;
  int64_t sequence_segments = 0;
  LaneSplit lane_split = LaneSplit::kExact;
  std::optional<int64_t> lanes;   // none: chosen from the work
  std::optional<int64_t> tokens;  // score the first so many targets only
  std::optional<int64_t> stride;  // of a model without memory; none: half the window
  Diagnosis diagnosis = Diagnosis::kNone;
  nlohmann::json model;  // what is printed of the model: type, memory, span, ...
};

// From sections data, train, eval and model of a config as it is in force.
EvaluationSettings evaluation_settings(const Config& config);

struct Evaluation {
  Measures measures;
  int64_t tokens_total = 0;
  std::map<std::string, int64_t> skipped;  // tokens, by reason
  TokenScores scores;
  nlohmann::json protocol;  // all choices that the numbers depend on
  nlohmann::json measured;  // what the model measured of itself (DiagnosisProbe); null: nothing
  std::optional<Measures> without_memory;  // with memory knocked out, where that was asked for

  int64_t tokens_skipped() const;
  // The object of lceval --json.
  nlohmann::json to_json() const;
};

// The plan of such an evaluation, and what its protocol says of model and plan. Error(kUsage) if
// the model has memory and a stride is given; Error(kData) if the split has no target.
struct SplitPlan {
  EvaluationPlan plan;
  nlohmann::json protocol;
};
SplitPlan plan_split(const LanguageModel& model, const TokenFile& tokens,
                     const EvaluationSettings& settings);

// What plan_split throws, and Error(kData) if the split's vocabulary isn't the model's.
Evaluation evaluate_split(const LanguageModel& model, const TokenFile& tokens,
                          const EvaluationSettings& settings);

// The same losses while a probe watches; what settings.diagnosis asks for is left out.
Evaluation evaluate_observed(const LanguageModel& model, const TokenFile& tokens,
                             const EvaluationSettings& settings, Probe* probe);

// Error(kData) if the text's vocabulary isn't the model's.
void check_vocabulary(const LanguageModel& model, const TokenFile& tokens);

// The measures of scores, with the plan and settings they came from as the protocol.
Evaluation make_evaluation(const TokenFile& tokens, const EvaluationPlan& plan, TokenScores scores,
                           nlohmann::json protocol);

}  // namespace lc

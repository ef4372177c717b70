// Dynamic evaluation: the model learns from the text while it is scored. Each token is scored with
// weights that have learned only from tokens before its segment; then the segment's gradient moves
// them. It is another question than plain evaluation asks, and labelled so.
//
// The text is read in its order by one lane, as the plain evaluation plans it (memory, or windows
// of a model without); memory keeps what older weights put into it. What is learned goes where
// memory goes over document ends: with boundaries "reset" weights are the trained ones again at
// each document, so that a document's loss depends on no other. Only targets that a segment scores
// are learned from, their mean loss. Weights change in a copy: the given model, and what is on
// disk, stay as they are.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "data/token_file.h"
#include "eval/dynamic/dynamic_weights.h"
#include "eval/evaluation_model.h"
#include "eval/stream_evaluation.h"

namespace lc {

struct DynamicSettings {
  DynamicStep step;
  // Of rms: the training text, of which so many segments from its start, or all if it has fewer,
  // give the statistics.
  std::optional<TokenFile> train;
  int64_t statistics_segments = 500;
};

// Mean losses of the first so many targets.
struct DynamicPoint {
  int64_t tokens;
  double nats;
  double plain_nats;
};

// Beside the dynamic evaluation, the same plan scored with the trained weights.
struct DynamicComparison {
  Measures plain;
  PairedDifference difference;      // dynamic minus plain: below zero, learning helps
  std::vector<DynamicPoint> along;  // ascending, doubling; the last holds all targets

  // {plain {measures}, difference {nats_per_token, nats_low, nats_high, tokens}, along: [{tokens,
  // nats_per_token, plain_nats_per_token}]}
  nlohmann::json to_json() const;
};

struct DynamicEvaluation {
  Evaluation evaluation;  // protocol.dynamic: settings, and how many segments gave statistics
  DynamicComparison comparison;
};

// Error(kUsage): more than one lane, the reference's lane split, rms without a training text, a
// rate, decay or epsilon out of range; Error(kDiverged): a segment's loss is no longer finite; and
// what evaluate_split throws.
DynamicEvaluation evaluate_dynamically(const ModelSource& source, const TokenFile& tokens,
                                       const EvaluationSettings& settings,
                                       const DynamicSettings& dynamic);

// Flags that are refused by the same rules, before anything is loaded. Error(kUsage).
void check_dynamic(const DynamicSettings& dynamic);

}  // namespace lc

// The same targets scored under every combination of runtime values: memory lengths, compressed
// lengths, whatever the model type lists as its evaluation flags.
//
// Each cell is the evaluation of the split by the model built anew with those values, everything
// else as asked for, so that cells differ by these values alone: where one of them leaves a model
// without memory, it reads its segments one by one as the others do, and doesn't slide a window.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "eval/evaluation_model.h"
#include "eval/stream_evaluation.h"

namespace lc {

struct SweepAxis {
  std::string flag;  // "memory"
  std::vector<nlohmann::json> values;
};

// Each "flag=value,value,..." -> an axis. Error(kUsage) for what reads otherwise, a flag or a value
// given twice.
std::vector<SweepAxis> parse_sweep(const std::vector<std::string>& texts);

struct SweepCell {
  RuntimeValues values;
  Evaluation evaluation;  // its scores are dropped: a grid of long texts would hold too many
};

struct RuntimeSweep {
  std::vector<SweepAxis> axes;
  std::vector<SweepCell> cells;  // the last axis runs fastest

  // [{<flag>: value, ..., nats_per_token, bits_per_byte, perplexity, word_perplexity, nats_low,
  // nats_high, word_perplexity_low, word_perplexity_high, tokens_scored, mode}]
  nlohmann::json cells_json() const;
  nlohmann::json protocol() const;  // {<flag>: [values], ..., tokens_scored}
};

// Error(kUsage), before anything is computed, where the model has no such flag, refuses a value, or
// with one can't read segments of the length asked for; its place is "--sweep memory=5".
RuntimeSweep runtime_sweep(const ModelSource& source, const TokenFile& tokens,
                           const std::vector<SweepAxis>& axes, const EvaluationSettings& settings);

}  // namespace lc

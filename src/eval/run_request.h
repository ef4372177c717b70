// What a user asks an evaluation for, beyond the run's own settings, and its carrying out.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "eval/contexts/context_sweep.h"
#include "eval/evaluation_model.h"
#include "eval/run_result.h"
#include "models/registry.h"

namespace lc {

struct EvaluationRequest {
  std::optional<int64_t> segment;  // none: as in training
  std::optional<int64_t> stride;
  std::optional<int64_t> tokens;
  std::optional<int64_t> lanes;
  std::vector<int64_t> contexts;  // empty: no sweep
  ContextMode mode = ContextMode::kStrict;
  Diagnosis diagnosis = Diagnosis::kNone;  // of the evaluation, not of the sweep
  std::vector<SweepAxis> sweep;            // over runtime values; empty: none
  std::optional<DynamicSettings> dynamic;  // weights learn while the split is scored
};

// The settings of the training, not of its periodic evaluation, with the request's values.
EvaluationSettings requested_settings(const Config& config, const EvaluationRequest& request);

// Whether the request asks for what the run's own settings score, the whole split: no other
// segments, windows moved as usual, no limit, and where lanes change a result its own lanes.
bool asks_as_trained(const Config& config, const EvaluationRequest& request);

// The length of its segments, and which key or flag gave it.
SegmentLength segment_of(const EvaluationSettings& settings, const EvaluationRequest& request);

// The config with "path=value" settings that an evaluation depends on: runtime rows of section
// model, and how memory meets documents and lanes. Error(kUsage) for any other key: weights fix it,
// a flag of its own sets it, or it says nothing to an evaluation.
Config with_settings(const OptionTable& table, const Config& config,
                     const std::vector<std::string>& settings);

// "0,64,128" -> {0, 64, 128}. Error(kUsage) for what is not a list of whole numbers from 0 on.
std::vector<int64_t> parse_contexts(const std::string& text);

// Error(kUsage or kData) before anything is computed: a context that is longer than the text.
void check_contexts(const EvaluationRequest& request, const TokenFile& tokens);

// The evaluation of the split and, where they are asked for, the sweeps. Name and source are the
// caller's to fill in.
RunResult evaluate_run(const ModelSource& source, const TokenFile& tokens,
                       const EvaluationRequest& request);

}  // namespace lc

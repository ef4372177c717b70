// The model around the mixer that the golden families share (section "Model around the attention
// layer" of their READMEs): sizes, names of weights, segments and logits.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "golden/agreement.h"
#include "golden/golden_case.h"
#include "golden/golden_model.h"

namespace golden {

// Float64 limits count relative to the largest value where that is above 1; float32 ones don't.
inline Limit trunk_limit(at::ScalarType dtype, double float32) {
  return dtype == at::kDouble ? Limit{1e-9, 1e-9} : Limit{float32, 0};
}

// Section "model" of the hyperparameters: all but the mixer's block and the positions.
nlohmann::json trunk_json(const nlohmann::json& hyperparameters, const std::string& type);

// Names of the trunk's weights -> ours; more: beginnings inside a layer, theirs and ours.
NameMap trunk_names(std::vector<std::pair<std::string, std::string>> more);

// Segment s of the case's "tokens"; lanes begin anew where its "reset" says so.
lc::Segment trunk_segment(const Case& golden, int64_t s);

// Checks "expected.logits" of the last segment, from the memory before it: log probabilities of
// every position, each from a pass over that beginning of the segment.
void check_last_logits(const Case& golden, const lc::LanguageModel& model,
                       const lc::MemoryState& memory, Limit allowed);

// Checks every "grad.NAME" against the gradients that a backward pass left.
void check_gradients(const Case& golden, const lc::LanguageModel& model, const NameMap& names,
                     Limit allowed);

}  // namespace golden

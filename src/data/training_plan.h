// The lanes of one epoch of training: a pure function of documents, settings and epoch.
//
// stream: the predictions of the whole text are cut into contiguous lanes whose lengths differ by
// at most one; the last target of a lane is the first token of the next. reset: the next document
// goes to the lane that is free first. Source: PROTOCOL, documents, lanes, tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/text_runs.h"

namespace lc {

struct TrainingPlanSettings {
  int64_t lanes = 1;
  int64_t segment_length = 1;
  int64_t sequence_segments = 0;  // memory begins anew every so many segments; 0: never
  Boundaries boundaries = Boundaries::kStream;
  LaneSplit lane_split = LaneSplit::kExact;
  bool shuffle_documents = false;  // in reset mode: another order in each epoch
  uint64_t seed = 0;               // of the order
};

// From train.lanes, train.segment_length, run.seed and section data. Documents are shuffled in
// reset mode alone: with stream boundaries data.shuffle_documents is an Error(kUsage).
TrainingPlanSettings training_plan_settings(const Config& config);

// Error(kData) if the text has no prediction at all.
LanePlan training_plan(const TokenFile& tokens, const TrainingPlanSettings& settings,
                       int64_t epoch);
LanePlan training_plan(const TextShape& text, const TrainingPlanSettings& settings, int64_t epoch);

// Error(kData) where lanes outnumber the text's predictions, so that some would hold padding alone:
// for a plan that is to be trained on, before it is made.
void check_lanes(const TokenFile& tokens, const TrainingPlanSettings& settings);

// What to say of a plan without a full segment: no lane reads so many tokens at a stretch, and so
// nothing is carried from one segment to the next. None where a segment is full.
std::optional<std::string> short_lanes_note(const LanePlan& plan);

}  // namespace lc

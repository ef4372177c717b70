// From a text to the runs that memory flows through, and from runs to lanes: what training plans
// and evaluation plans have in common (PROTOCOL: documents, lanes, tokens).
#pragma once

#include <cstdint>
#include <vector>

#include "config/config.h"
#include "data/lane_plan.h"
#include "data/token_file.h"

namespace lc {

// stream: memory flows over document ends. reset: it begins anew at each document.
enum class Boundaries { kStream, kReset };

// exact: no token is lost. reference: floor(N / B) tokens a lane, the tail dropped, each lane cold.
enum class LaneSplit { kExact, kReference };

// data.boundaries and data.lane_split. The reference's lane split knows no documents: together with
// reset boundaries it is an Error(kUsage).
Boundaries boundaries(const Config& config);
LaneSplit lane_split(const Config& config);

// What plans need to know of a text.
struct TextShape {
  struct Document {
    int64_t first = 0;  // index of its first token
    int64_t tokens = 0;
  };
  int64_t tokens = 0;
  std::vector<Document> documents;  // ascending, without overlap
};
TextShape text_shape(const TokenFile& tokens);

// One run for each stretch that memory flows through, in the order of the text: the whole text, or
// each document; its first token is input only. Stretches without a prediction are left out.
std::vector<Run> memory_runs(const TextShape& text, Boundaries boundaries);

// The runs cut every `inputs` inputs (0: never), each part a run of its own that starts anew.
std::vector<Run> cut_runs(const std::vector<Run>& runs, int64_t inputs);

// Rows b = floor(N / B) tokens each, as the reference has it: one run a lane of floor(N / B) - 1
// inputs (none if that is 0).
std::vector<std::vector<Run>> reference_lanes(int64_t tokens, int64_t lanes);

struct LaneShape {
  int64_t lanes;
  int64_t segment_length;
};
// Each run in turn goes to the lane that is free first, counted in segments; the lowest of equals.
std::vector<std::vector<Run>> to_first_free_lanes(const std::vector<Run>& runs, LaneShape shape);

}  // namespace lc

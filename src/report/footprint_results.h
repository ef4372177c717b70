// The memory of runs side by side: what each carries for one lane of text, what a segment adds, and
// how far back it reaches (nn/footprint.h says what counts).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "nn/footprint.h"

namespace lc {

struct FootprintResult {
  std::string name;               // as it is shown
  std::string type;               // of the model
  int64_t segment_length = 1;     // tokens
  int64_t sequence_segments = 0;  // memory begins anew after so many; 0: never
  Footprint footprint;

  // Tokens, as the paper counts them: the reach of memory, and no more than the segments of one
  // sequence together; none: unbounded.
  std::optional<int64_t> effective_context() const;
};

// One row a result, and a line that says what the columns mean.
std::string footprint_table(const std::vector<FootprintResult>& results);

// One result: {"type", "segment", "sequence_segments", "carried": {"numbers", "counters", "bytes"},
// "in_segment": {..., "rows", "attention"}, "effective_context"}. Several: {"runs": [{"name",
// ...}]}.
nlohmann::json footprint_json(const std::vector<FootprintResult>& results);

// The same as CSV; effective_context is empty where it is unbounded.
std::string footprint_csv(const std::vector<FootprintResult>& results);

}  // namespace lc

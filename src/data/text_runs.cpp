#include "data/text_runs.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "core/error.h"

namespace lc {

Boundaries boundaries(const Config& config) {
  return config.get<std::string>("data.boundaries") == "reset" ? Boundaries::kReset
                                                               : Boundaries::kStream;
}

LaneSplit lane_split(const Config& config) {
  if (config.get<std::string>("data.lane_split") == "exact") return LaneSplit::kExact;
  if (boundaries(config) == Boundaries::kReset) {
    throw Error(ErrorKind::kUsage, "data.lane_split",
                "\"reference\" knows no documents, but data.boundaries is \"reset\"",
                "set data.boundaries to \"stream\" or data.lane_split to \"exact\"");
  }
  return LaneSplit::kReference;
}

TextShape text_shape(const TokenFile& tokens) {
  TextShape text{tokens.size(), {}};
  for (const DocumentInfo& document : tokens.documents()) {
    text.documents.push_back({document.first_token, document.tokens});
  }
  return text;
}

std::vector<Run> memory_runs(const TextShape& text, Boundaries boundaries) {
  std::vector<Run> runs;
  const auto add = [&](int64_t first, int64_t tokens) {
    if (tokens > 1) runs.push_back({.first = first, .count = tokens - 1});
  };
  if (boundaries == Boundaries::kStream) {
    add(0, text.tokens);
  } else {
    for (const auto& document : text.documents) add(document.first, document.tokens);
  }
  return runs;
}

std::vector<Run> cut_runs(const std::vector<Run>& runs, int64_t inputs) {
  if (inputs == 0) return runs;
  std::vector<Run> parts;
  for (const Run& run : runs) {
    LC_CHECK(run.lead_in == 0);
    for (int64_t done = 0; done < run.count; done += inputs) {
      parts.push_back({.first = run.first + done, .count = std::min(inputs, run.count - done)});
    }
  }
  return parts;
}

std::vector<std::vector<Run>> reference_lanes(int64_t tokens, int64_t lanes) {
  LC_CHECK(lanes > 0);
  const int64_t rows = tokens / lanes;
  std::vector<std::vector<Run>> result(static_cast<size_t>(lanes));
  if (rows < 2) return result;
  for (int64_t b = 0; b < lanes; ++b) {
    result[static_cast<size_t>(b)].push_back({.first = b * rows, .count = rows - 1});
  }
  return result;
}

std::vector<std::vector<Run>> to_first_free_lanes(const std::vector<Run>& runs, LaneShape shape) {
  LC_CHECK(shape.lanes > 0);
  using Free = std::pair<int64_t, int64_t>;  // segment from which the lane is free, lane
  std::priority_queue<Free, std::vector<Free>, std::greater<>> free;
  for (int64_t b = 0; b < shape.lanes; ++b) free.emplace(0, b);
  std::vector<std::vector<Run>> lanes(static_cast<size_t>(shape.lanes));
  for (const Run& run : runs) {
    const auto [segment, lane] = free.top();
    free.pop();
    lanes[static_cast<size_t>(lane)].push_back(run);
    free.emplace(segment + (run.count + shape.segment_length - 1) / shape.segment_length, lane);
  }
  return lanes;
}

}  // namespace lc

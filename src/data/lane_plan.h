// Which tokens each lane sees, and when: a pure function of the text's documents and the settings.
//
// A run is a stretch of consecutive inputs of one lane through which memory is carried; before its
// first input memory begins anew. A lane is a list of runs, one after the other. A run is cut into
// segments of T inputs from its own first input on; its last segment may be shorter and is padded
// on the right. So lane, segment -> slice of a run is computed, never stored: seeking costs O(log
// runs).
//
//   lane 0   |-- run --|-- run ----|
//   lane 1   |-- run --------|- run -|
//   segment  | 0  | 1  | 2  | 3  | 4 |
#pragma once

#include <cstdint>
#include <vector>

namespace lc {

struct Run {
  int64_t first = 0;     // token index of the first input; the target of input t is token t + 1
  int64_t count = 0;     // inputs, which is predictions
  int64_t lead_in = 0;   // so many inputs at the start are context only: their weight is 0
  int64_t position = 0;  // of the first input, for models that count positions along the text
};

class LanePlan {
 public:
  LanePlan(std::vector<std::vector<Run>> lanes, int64_t segment_length);

  int64_t lanes() const { return static_cast<int64_t>(lanes_.size()); }
  int64_t segment_length() const { return segment_length_; }
  int64_t segments() const { return segments_; }  // of the longest lane
  // Inputs of the longest segment: segment_length(), or the longest run where that is shorter.
  int64_t longest_segment() const;
  int64_t predictions() const;  // with weight, in all lanes
  int64_t inputs() const;       // with the lead-ins: the work that is done
  const std::vector<Run>& runs(int64_t lane) const;

  struct Slice {
    const Run* run = nullptr;  // nullptr: the lane has come to its end
    int64_t offset = 0;        // of the slice in the run
    int64_t count = 0;         // inputs in the slice, at most segment_length
  };
  Slice slice(int64_t lane, int64_t segment) const;

 private:
  std::vector<std::vector<Run>> lanes_;
  std::vector<std::vector<int64_t>> first_segments_;  // per lane: the segment each run begins at
  int64_t segment_length_;
  int64_t segments_ = 0;
};

}  // namespace lc

// Reads a text token by token, or several side by side, and says what may come next.
//
// A model with memory reads in segments as in training, its memory carried on: the running segment
// stays open until its last token folds it, so that the outcome is that of the segmented pass,
// however the text comes in. A model without memory would forget everything at each segment: it
// reads in windows half a window apart, as its evaluation does.
//
// Shapes: B lanes, a text each, all read up to the same place; T tokens, V = vocabulary.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/memory_state.h"
#include "core/segment.h"
#include "models/language_model.h"

namespace lc {

class TextReader {
 public:
  // segment_length: of a model without memory the window. The model outlives the reader.
  TextReader(const LanguageModel& model, int64_t segment_length, int64_t lanes = 1);

  // Reads on; one token at least. Gives the log probabilities [V] of the token after them.
  at::Tensor read(const std::vector<int64_t>& tokens);
  // The same in every lane: int64 tokens on the CPU, log probabilities [B, V].
  at::Tensor read_lanes(const at::Tensor& tokens_BT);
  TextReader clone() const;                       // reads on from here by itself
  int64_t position() const { return position_; }  // tokens read so far

 private:
  at::Tensor read_in_segments(const at::Tensor& tokens_BT);
  at::Tensor read_in_window(const at::Tensor& tokens_BT);
  int64_t window_start(int64_t position) const;
  at::Tensor step(const at::Tensor& tokens_BT, SegmentEnd end);

  const LanguageModel& model_;
  int64_t segment_length_;
  MemoryState memory_;
  int64_t position_ = 0;
  int64_t start_ = 0;     // where memory last began anew
  at::Tensor window_BT_;  // without memory: the tokens since then
};

}  // namespace lc

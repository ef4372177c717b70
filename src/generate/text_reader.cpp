#include "generate/text_reader.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/error.h"

namespace lc {
namespace {

Segment whole_lanes(const at::Tensor& tokens_BT, SegmentEnd end) {
  const auto lanes = static_cast<size_t>(tokens_BT.size(0));
  Segment segment;
  segment.inputs_BT = tokens_BT.contiguous();
  segment.targets_BT = at::zeros_like(segment.inputs_BT);
  segment.valid_BT = at::ones_like(segment.inputs_BT, at::kBool);
  segment.weights_BT = at::zeros_like(segment.inputs_BT, at::kFloat);
  segment.padded_B.assign(lanes, 0);
  segment.lanes_B.resize(lanes);
  std::iota(segment.lanes_B.begin(), segment.lanes_B.end(), 0);
  segment.end = end;
  return segment;
}

}  // namespace

TextReader::TextReader(const LanguageModel& model, int64_t segment_length, int64_t lanes)
    : model_(model),
      segment_length_(segment_length),
      memory_(model.initial_memory(lanes, MemoryUse::kInference)),
      window_BT_(at::empty({lanes, 0}, at::kLong)) {
  LC_CHECK(segment_length > 0 && lanes > 0);
}

at::Tensor TextReader::read(const std::vector<int64_t>& tokens) {
  return read_lanes(at::tensor(tokens, at::kLong).unsqueeze(0))[0];
}

at::Tensor TextReader::read_lanes(const at::Tensor& tokens_BT) {
  LC_CHECK(tokens_BT.size(0) == memory_.lanes() && tokens_BT.size(1) > 0);
  const c10::NoGradGuard no_gradient;
  return model_.has_memory() ? read_in_segments(tokens_BT) : read_in_window(tokens_BT);
}

TextReader TextReader::clone() const {
  TextReader copy(model_, segment_length_, memory_.lanes());
  copy.memory_ = memory_.clone();
  copy.position_ = position_;
  copy.start_ = start_;
  copy.window_BT_ = window_BT_;
  return copy;
}

at::Tensor TextReader::read_in_segments(const at::Tensor& tokens_BT) {
  at::Tensor log_probabilities_BV;
  for (int64_t read = 0; read < tokens_BT.size(1);) {
    const int64_t room = segment_length_ - position_ % segment_length_;
    const int64_t count = std::min(room, tokens_BT.size(1) - read);
    log_probabilities_BV = step(tokens_BT.narrow(1, read, count),
                                count == room ? SegmentEnd::kFold : SegmentEnd::kKeepOpen);
    read += count;
  }
  return log_probabilities_BV;
}

at::Tensor TextReader::read_in_window(const at::Tensor& tokens_BT) {
  const int64_t end = position_ + tokens_BT.size(1);
  const int64_t start = window_start(end - 1);
  window_BT_ = at::cat({window_BT_, tokens_BT}, 1);
  if (start == start_) return step(tokens_BT, SegmentEnd::kKeepOpen);
  window_BT_ = window_BT_.slice(1, start - start_);
  memory_ = model_.initial_memory(memory_.lanes(), MemoryUse::kInference);
  position_ = start_ = start;
  return step(window_BT_, SegmentEnd::kKeepOpen);
}

// Of the window that the input at that position is read in: the first whose new part holds it.
int64_t TextReader::window_start(int64_t position) const {
  if (position < segment_length_) return 0;
  const int64_t stride = std::max<int64_t>(segment_length_ / 2, 1);
  return ((position - segment_length_) / stride + 1) * stride;
}

at::Tensor TextReader::step(const at::Tensor& tokens_BT, SegmentEnd end) {
  Segment segment = whole_lanes(tokens_BT, end);
  const auto lanes = static_cast<size_t>(segment.lanes());
  segment.starts_B.assign(lanes, static_cast<char>(position_ == start_));
  segment.first_positions_B.assign(lanes, position_);
  segment.index = position_ / segment_length_;
  LogitsResult result = model_.logits(segment.to(model_.device()), std::move(memory_));
  memory_ = std::move(result.memory);
  position_ += tokens_BT.size(1);
  return result.logits_BV;
}

}  // namespace lc

#include "generate/text_reader.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace lc {
namespace {

Segment one_lane(const std::vector<int64_t>& tokens, SegmentEnd end) {
  Segment segment;
  segment.inputs_BT = at::tensor(tokens, at::kLong).unsqueeze(0);
  segment.targets_BT = at::zeros_like(segment.inputs_BT);
  segment.valid_BT = at::ones_like(segment.inputs_BT, at::kBool);
  segment.weights_BT = at::zeros_like(segment.inputs_BT, at::kFloat);
  segment.padded_B = {0};
  segment.lanes_B = {0};
  segment.end = end;
  return segment;
}

}  // namespace

TextReader::TextReader(const LanguageModel& model, int64_t segment_length)
    : model_(model),
      segment_length_(segment_length),
      memory_(model.initial_memory(1, MemoryUse::kInference)) {
  LC_CHECK(segment_length > 0);
}

at::Tensor TextReader::read(const std::vector<int64_t>& tokens) {
  LC_CHECK(!tokens.empty());
  const c10::NoGradGuard no_gradient;
  return model_.has_memory() ? read_in_segments(tokens) : read_in_window(tokens);
}

at::Tensor TextReader::read_in_segments(const std::vector<int64_t>& tokens) {
  at::Tensor log_probabilities_V;
  for (auto next = tokens.begin(); next != tokens.end();) {
    const int64_t room = segment_length_ - position_ % segment_length_;
    const int64_t count = std::min<int64_t>(room, tokens.end() - next);
    log_probabilities_V =
        step({next, next + count}, count == room ? SegmentEnd::kFold : SegmentEnd::kKeepOpen);
    next += count;
  }
  return log_probabilities_V;
}

at::Tensor TextReader::read_in_window(const std::vector<int64_t>& tokens) {
  const int64_t end = position_ + static_cast<int64_t>(tokens.size());
  const int64_t start = window_start(end - 1);
  window_.insert(window_.end(), tokens.begin(), tokens.end());
  if (start == start_) return step(tokens, SegmentEnd::kKeepOpen);
  window_.erase(window_.begin(), window_.begin() + (start - start_));
  memory_ = model_.initial_memory(1, MemoryUse::kInference);
  position_ = start_ = start;
  return step(window_, SegmentEnd::kKeepOpen);
}

// Of the window that the input at that position is read in: the first whose new part holds it.
int64_t TextReader::window_start(int64_t position) const {
  if (position < segment_length_) return 0;
  const int64_t stride = std::max<int64_t>(segment_length_ / 2, 1);
  return ((position - segment_length_) / stride + 1) * stride;
}

at::Tensor TextReader::step(const std::vector<int64_t>& tokens, SegmentEnd end) {
  Segment segment = one_lane(tokens, end);
  segment.starts_B = {static_cast<char>(position_ == start_)};
  segment.first_positions_B = {position_};
  segment.index = position_ / segment_length_;
  LogitsResult result = model_.logits(segment.to(model_.device()), std::move(memory_));
  memory_ = std::move(result.memory);
  position_ += static_cast<int64_t>(tokens.size());
  return result.logits_BV[0];
}

}  // namespace lc

#include "train/lane_bytes.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "train/allocation_meter.h"

namespace lc {
namespace {

// Memory of any model is full after so many pieces of text, or it is taken as it is then.
constexpr int64_t kMostPieces = 64;
constexpr int64_t kPieceTokens = 512;

// Where more is carried on from: three sizes for a square, two for a line; the last is the largest
// that is measured itself.
constexpr int64_t kSampleTokens = 128;
const std::vector<int64_t> kMeasuredTokens{kSampleTokens, 2 * kSampleTokens, kPieceTokens};
const std::vector<int64_t> kMeasuredSegments{3, 4};

struct BlockShape {
  int64_t segments = 1;
  int64_t tokens = 1;  // of a segment
};

using Points = std::vector<std::pair<double, double>>;

// The value at x of the polynomial through the points, as Lagrange wrote it.
double carried_on(const Points& points, int64_t to) {
  const auto x = static_cast<double>(to);
  double sum = 0;
  for (const auto& [place, value] : points) {
    double term = value;
    for (const auto& [other, unused] : points) {
      if (other != place) term *= (x - other) / (place - other);
    }
    sum += term;
  }
  return sum;
}

// Sizes to measure at for a size that is asked for.
std::vector<int64_t> measured(const std::vector<int64_t>& sizes, int64_t asked) {
  return asked <= sizes.back() ? std::vector<int64_t>{asked} : sizes;
}

// Positions [first, first + count) of a segment.
Segment stretch(Segment segment, int64_t first, int64_t count) {
  for (at::Tensor* tensor :
       {&segment.inputs_BT, &segment.targets_BT, &segment.valid_BT, &segment.weights_BT}) {
    *tensor = tensor->narrow(1, first, count);
  }
  for (int64_t& position : segment.first_positions_B) position += first;
  return segment;
}

// So many tokens that end where the segment does: its last ones, over and over, so that what
// depends on a token (a softmax in bins) grows with their number exactly.
Segment sampled(const Segment& segment, int64_t tokens) {
  Segment sample = stretch(segment, segment.length() - kSampleTokens, kSampleTokens);
  for (at::Tensor* tensor :
       {&sample.inputs_BT, &sample.targets_BT, &sample.valid_BT, &sample.weights_BT}) {
    *tensor = tensor->repeat({1, tokens / kSampleTokens});
  }
  for (int64_t& position : sample.first_positions_B) position += kSampleTokens - tokens;
  return sample;
}

// The first lane of the epoch, gone through as training does.
class OneLane {
 public:
  OneLane(const LanguageModel& model, const SegmentStream& epoch, uint64_t seed)
      : model_(model),
        epoch_(epoch),
        options_{.training = true, .seed = seed},
        memory_(model.initial_memory(1, MemoryUse::kTraining).detach()) {
    fill_memory();
  }

  int64_t memory_bytes() const { return memory_.bytes(); }

  // The block that training has where it makes blocks of so many segments.
  BlockShape block(int64_t segments) const {
    BlockShape shape{std::min(segments, epoch_.segments()), 1};
    for (int64_t i = 0; i < std::min(shape.segments, kMeasuredSegments.back()); ++i) {
      shape.tokens = std::max(shape.tokens, row(i).length());
    }
    return shape;
  }

  // Bytes held by the graph of a block. Longer segments are sampled at their end, so that a
  // position that the model has no place for is met.
  int64_t block_bytes(BlockShape shape) const {
    std::vector<Segment> block;
    for (int64_t i = 0; i < shape.segments; ++i) {
      const Segment whole = row(i);
      block.push_back(whole.length() > kPieceTokens ? sampled(whole, shape.tokens) : whole);
    }
    make_tables(block.front());
    const auto meter = std::make_shared<AllocationMeter>();
    std::vector<at::Tensor> losses;
    const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, meter);
    MemoryState memory = memory_.clone();
    for (const Segment& segment : block) {
      StepResult result = model_.step(segment, std::move(memory), options_);
      losses.push_back(result.nll_BT);
      memory = std::move(result.memory);
    }
    return meter->held();
  }

 private:
  // Until it grows no more.
  void fill_memory() {
    const c10::NoGradGuard no_gradients;
    int64_t bytes = -1;
    int64_t pieces = 0;
    for (int64_t i = 0; i < epoch_.segments(); ++i) {
      const Segment whole = row(i);
      if (whole.padded_B[0]) return;  // would empty it
      for (int64_t first = 0; first < whole.length(); first += kPieceTokens) {
        if (memory_.bytes() == bytes || pieces++ == kMostPieces) return;
        bytes = memory_.bytes();
        const int64_t count = std::min(kPieceTokens, whole.length() - first);
        memory_ = model_.step(stretch(whole, first, count), std::move(memory_), options_).memory;
      }
    }
  }

  // What a model keeps from its first step on, whatever the text, is no part of a block.
  void make_tables(const Segment& segment) const {
    const c10::NoGradGuard no_gradients;
    model_.step(segment, memory_.clone(), options_);
  }

  // Memory is never begun anew, so that it fills whatever the text: it is initial at first.
  Segment row(int64_t index) const {
    Segment segment = epoch_.at(index).rows(0, 1);
    segment.starts_B[0] = 0;
    return segment;
  }

  const LanguageModel& model_;
  const SegmentStream& epoch_;
  StepOptions options_;
  MemoryState memory_;
};

int64_t graph_bytes(const OneLane& lane, BlockShape block) {
  Points by_tokens;
  for (const int64_t tokens : measured(kMeasuredTokens, block.tokens)) {
    Points by_segments;
    for (const int64_t segments : measured(kMeasuredSegments, block.segments)) {
      by_segments.emplace_back(segments, lane.block_bytes({segments, tokens}));
    }
    by_tokens.emplace_back(tokens, carried_on(by_segments, block.segments));
  }
  return std::llround(carried_on(by_tokens, block.tokens));
}

}  // namespace

LaneBytes lane_bytes(const LanguageModel& model, const SegmentStream& epoch,
                     const TrainSettings& settings, int64_t block_segments) {
  const OneLane lane(model, epoch, settings.seed);
  const BlockShape block = lane.block(block_segments);
  if (settings.bptt_mode == BlockMode::kGraph) {
    return {lane.memory_bytes(), graph_bytes(lane, block)};
  }
  // With replay the graph of one segment, and the memory before each.
  return {lane.memory_bytes(),
          graph_bytes(lane, {1, block.tokens}) + block.segments * lane.memory_bytes()};
}

}  // namespace lc

// What training holds of one lane of text, measured by going through it on the CPU.
//
// Long segments and blocks of many would take all the memory that they are asked about. They are
// measured at shorter ones and carried on from there: by the square of a segment's length, as
// attention goes, and in proportion to the segments of a block.
#pragma once

#include <cstdint>

#include "data/segment_stream.h"
#include "models/language_model.h"
#include "train/train_settings.h"

namespace lc {

struct LaneBytes {
  int64_t memory = 0;       // carried from update to update, once it is full
  int64_t activations = 0;  // held for the backward pass of a block
};

// Of the first lane, in blocks of so many segments. The model lies on the CPU; epoch is the whole
// stream of epoch 0. Throws what a step of the model throws.
LaneBytes lane_bytes(const LanguageModel& model, const SegmentStream& epoch,
                     const TrainSettings& settings, int64_t block_segments);

}  // namespace lc

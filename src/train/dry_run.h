// What a run will take, before it starts: parameters by part, bytes, tokens and steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/segment_stream.h"
#include "models/language_model.h"
#include "optim/optimizer.h"
#include "train/train_settings.h"

namespace lc {

struct DryRun {
  std::vector<std::pair<std::string, int64_t>> parts;  // scalars, in the model's order
  int64_t parameters = 0;
  int64_t weight_bytes = 0;
  int64_t gradient_bytes = 0;
  int64_t optimizer_bytes = 0;
  int64_t activation_bytes = 0;  // held for the backward pass, by one chunk
  int64_t memory_bytes = 0;      // carried from update to update, once it is full
  int64_t tokens_per_step = 0;
  int64_t segments_per_epoch = 0;
  std::optional<int64_t> steps;  // none: only time ends the run

  int64_t total_bytes() const;
  std::string text() const;  // lines for people
};

// Activations and memory are those of one lane (train/lane_bytes.h), scaled to the lanes of a chunk
// and of the update: an estimate, since a device may save other tensors. The model lies on the CPU;
// epoch is the whole stream of epoch 0.
DryRun dry_run(const LanguageModel& model, const SegmentStream& epoch,
               const TrainSettings& settings, const Optimizer& optimizer);

// "layers.3.attention.query.weight" -> "layers.*.attention", "embedding.weight" -> "embedding".
std::string part_of(const std::string& parameter);

}  // namespace lc

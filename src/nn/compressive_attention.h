// Attention over [compressed memory ; memory ; input], where rows that memory gives up are
// compressed instead of lost (Rae et al. 2020, section 3).
//
// Shapes: B lanes, T queries, D = d_model, M memory length, C compressed length, c = rate.
// Memory queues, in training and inference alike: "memory" [B, slots, D], un-normalised layer
// inputs; "compressed" [B, slots, D], what a compressor made of them; with true distances
// "compressed.ages" [B, slots], int64: from the newest row that a slot was made of to the next
// segment's first input. The open part of a segment: "open" [B, T', D], and, where attention
// chooses what is kept, "open.received" [B, M' + T'], its sums so far.
//
// Measured for a probe, where a segment's end compresses something: the auxiliary loss of each lane
// under its own name ("attention_reconstruction_mse"), in evaluation too; of lanes in which a
// target of the segment counts, so that a lead-in is left out.
//
// With an auxiliary loss slots are stored without gradient history: the compressor then learns from
// that loss alone, and nothing else does. Without one the history stays, and gradients of later
// segments reach the compressor as far as the trainer lets them. attention_reconstruction without
// memory has no queries, hence no loss: such a model is for evaluation.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "nn/compression/compression_loss.h"
#include "nn/compression/compressor.h"
#include "nn/head_projections.h"
#include "nn/memory_rows.h"
#include "nn/mixer.h"
#include "nn/positions/position_scheme.h"

namespace lc {

// Where compressed slots stand. separate: counted in slots back from the segment, with position
// functions of their own. contiguous: one axis of slots, memory, segment. distance: where the
// newest row that they were made of stood.
enum class CompressedPositions { kSeparate, kContiguous, kDistance };

struct CompressiveSettings {
  int64_t memory_length = 0;      // M
  int64_t compressed_length = 0;  // C; 0: nothing is compressed
  InitialMemory initial_memory = InitialMemory::kEmpty;
  CompressedPositions positions = CompressedPositions::kSeparate;
  CompressionSettings compression;
  CompressionObjective objective = CompressionObjective::kAttentionReconstruction;
  double auxiliary_weight = 1;
};

// The group of keys that separate positions give functions of their own.
constexpr const char* kCompressedKeys = "compressed";

class CompressiveAttention : public Mixer {
 public:
  CompressiveAttention(ParameterSet& parameters, const TransformerSettings& sizes,
                       const CompressiveSettings& settings, const PositionScheme& positions,
                       int64_t layer);

  MixerResult forward(const at::Tensor& x_BTD, const LayerMemory& memory, const LayerMemory& open,
                      const StepContext& context) const override;
  at::Tensor normalise(const at::Tensor& x_BTD) const override { return heads_.normalise(x_BTD); }
  LayerMemory initial_memory(int64_t lanes, MemoryUse use) const override;
  std::optional<MixerReach> reach(int64_t segment_length) const override;
  LayerFootprint footprint(int64_t segment_length, MemoryUse use) const override;
  std::vector<AuxiliaryShare> auxiliary_shares(
      const LayerMemory& memory, const std::vector<const Segment*>& segments) const override;

 private:
  struct Keys;
  struct Seen;

  Keys keys(const at::Tensor& own_BTD, const LayerMemory& memory, const LayerMemory& open) const;
  KeyGroup key_group(const std::vector<at::Tensor>& rows, const LayerPositions& positions,
                     std::vector<PositionAxis> axes) const;
  std::vector<PositionAxis> compressed_axes(const LayerMemory& memory,
                                            const std::vector<int64_t>& q_pos, int64_t slots) const;
  std::vector<KeyStretch> stretches(const LayerMemory& memory, int64_t keys) const;
  void compress(const Seen& seen, const StepContext& context, MixerResult& result) const;
  bool compresses() const { return settings_.compressed_length > 0; }

  HeadProjections heads_;
  CompressiveSettings settings_;
  const LayerPositions& positions_;
  const LayerPositions& compressed_positions_;
  std::unique_ptr<Compressor> compressor_;
  std::unique_ptr<CompressionLoss> loss_;  // null: none
};

}  // namespace lc

#include "nn/decoder.h"

#include <ATen/ATen.h>

#include <utility>

namespace lc {

Decoder::Decoder(ParameterSet& parameters, const TransformerSettings& settings, DecoderParts parts)
    : dropout_(settings.dropout),
      pre_norm_(settings.norm == NormPlace::kPre),
      parts_(std::move(parts)) {
  for (int64_t l = 0; l < settings.layers; ++l) {
    feed_forwards_.emplace_back(parameters, settings, l);
  }
  if (settings.final_norm) {
    final_norm_ = std::make_unique<LayerNorm>(parameters, "final_norm", settings.d_model,
                                              settings.init_deviation, settings.norm_eps);
  }
}

at::Tensor Decoder::absolute_positions(const MemoryState& memory,
                                       const StepContext& context) const {
  const Segment& segment = context.segment;
  const at::Tensor steps_T =
      at::arange(segment.length(), at::TensorOptions().dtype(at::kLong)) + memory.open_length();
  at::Tensor first_B1 = at::zeros({segment.lanes(), 1}, at::kLong);
  if (parts_.origin == PositionOrigin::kStream) {
    first_B1 = at::tensor(segment.first_positions_B, at::kLong).unsqueeze(1) - memory.open_length();
  }
  return (first_B1 + steps_T).to(segment.inputs_BT.device());
}

TrunkResult Decoder::forward(const at::Tensor& embedded_BTD, MemoryState memory,
                             const StepContext& context) const {
  const bool added = !parts_.positions->relative();
  const at::Tensor positions_BT = added ? absolute_positions(memory, context) : at::Tensor();
  at::Tensor x = embedded_BTD;
  if (added) {
    if (const at::Tensor vectors = parts_.positions->embed(positions_BT); vectors.defined()) {
      x = x + vectors;
    }
  }
  x = context.dropout(x, dropout_, "embedding", -1);

  std::vector<LayerMemory> folded;
  std::vector<LayerMemory> open;
  std::vector<AuxiliaryLoss> auxiliary;
  for (size_t l = 0; l < parts_.mixers.size(); ++l) {
    const auto index = static_cast<int64_t>(l);
    const Mixer& mixer = *parts_.mixers[l];
    if (added) {
      const at::Tensor vectors = parts_.positions->layer(index).embed(positions_BT);
      if (vectors.defined()) x = x + vectors;
    }
    MixerResult mixed = mixer.forward(x, memory.layer(index), memory.open(index), context);
    x = pre_norm_ ? x + mixed.branch_BTD : mixer.normalise(x + mixed.branch_BTD);
    const FeedForward& feed_forward = feed_forwards_[l];
    const at::Tensor sum = x + feed_forward.forward(x, context);
    x = pre_norm_ ? sum : feed_forward.normalise(sum);
    context.observe("hidden", index, x);
    folded.push_back(std::move(mixed.memory));
    open.push_back(std::move(mixed.open));
    for (AuxiliaryLoss& loss : mixed.auxiliary) auxiliary.push_back(std::move(loss));
  }
  if (final_norm_) x = (*final_norm_)(x);
  if (context.segment.end == SegmentEnd::kFold) open.clear();
  return {context.dropout(x, dropout_, "hidden", -1),
          MemoryState(memory.lanes(), memory.use(), std::move(folded), std::move(open),
                      memory.version()),
          std::move(auxiliary)};
}

MemoryState Decoder::initial_memory(int64_t lanes, MemoryUse use, int64_t version) const {
  std::vector<LayerMemory> layers;
  for (const auto& mixer : parts_.mixers) layers.push_back(mixer->initial_memory(lanes, use));
  return MemoryState(lanes, use, std::move(layers), {}, version);
}

std::optional<int64_t> Decoder::reach(int64_t segment_length) const {
  int64_t total = 0;  // of the layers above the one looked at
  for (auto mixer = parts_.mixers.rbegin(); mixer != parts_.mixers.rend(); ++mixer) {
    const std::optional<MixerReach> one = (*mixer)->reach(segment_length);
    if (!one) return {};
    if (one->from == ReachFrom::kSegment) {
      // The earliest row needed was computed in a whole segment, from memory before that.
      total = (total + segment_length - 1) / segment_length * segment_length;
    }
    total += one->inputs;
  }
  return total;
}

Footprint Decoder::footprint(int64_t segment_length, MemoryUse use) const {
  Footprint total;
  for (const auto& mixer : parts_.mixers) {
    const LayerFootprint layer = mixer->footprint(segment_length, use);
    total.carried += layer.carried;
    total.rows += layer.rows;
    if (layer.attention.bytes > total.attention.bytes) total.attention = layer.attention;
  }
  total.reach = reach(segment_length);
  return total;
}

std::vector<AuxiliaryShare> Decoder::auxiliary_shares(
    const MemoryState& memory, const std::vector<const Segment*>& segments) const {
  std::vector<AuxiliaryShare> shares;
  for (size_t l = 0; l < parts_.mixers.size(); ++l) {
    const LayerMemory& layer = memory.layer(static_cast<int64_t>(l));
    for (auto& share : parts_.mixers[l]->auxiliary_shares(layer, segments)) {
      shares.push_back(std::move(share));
    }
  }
  return shares;
}

}  // namespace lc

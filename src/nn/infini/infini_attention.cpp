#include "nn/infini/infini_attention.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>
#include <vector>

#include "nn/memory_rows.h"
#include "nn/visibility.h"

namespace lc {
namespace {

constexpr const char* kMatrix = "memory.matrix";
constexpr const char* kNormalizer = "memory.normalizer";
constexpr const char* kTokens = "memory.tokens";
// Rows of their own are kept in the open part alone.
constexpr RowQueue kOpenKeys{"", "open.keys"};
constexpr RowQueue kOpenValues{"", "open.values"};

AssociativeMemory stored(const LayerMemory& memory) {
  return {memory.queue(kMatrix).slots, memory.queue(kNormalizer).slots};
}

// In the precision of the state.
at::Tensor precise(const at::Tensor& x, const LayerMemory& memory) {
  return x.to(memory.queue(kMatrix).slots.scalar_type());
}

at::ScalarType state_type(at::ScalarType weights) { return at::promote_types(weights, at::kFloat); }

// 0 in the lanes that hold padding.
at::Tensor emptied(const at::Tensor& x_B, const std::vector<char>& padded_B) {
  if (std::count(padded_B.begin(), padded_B.end(), 1) == 0) return x_B;
  std::vector<int64_t> shape(static_cast<size_t>(x_B.dim()), 1);
  shape[0] = x_B.size(0);
  const std::vector<int64_t> padded(padded_B.begin(), padded_B.end());
  return x_B.masked_fill(at::tensor(padded, at::kLong).to(x_B.device(), at::kBool).view(shape), 0);
}

}  // namespace

InfiniAttention::InfiniAttention(ParameterSet& parameters, const TransformerSettings& sizes,
                                 const InfiniSettings& settings, const PositionScheme& positions,
                                 int64_t layer)
    : settings_(settings),
      heads_(parameters, sizes, layer),
      positions_(positions.layer(layer)),
      beta_(parameters.add("layers." + std::to_string(layer) + ".attention.gate", {sizes.heads},
                           Initial::constant(settings.gate_init), kGateGroup)) {}

MixerResult InfiniAttention::forward(const at::Tensor& x_BTD, const LayerMemory& memory,
                                     const LayerMemory& open, const StepContext& context) const {
  const at::Tensor input_BTD = heads_.usable(x_BTD);
  const at::Tensor q_BHTd = heads_.split(at::linear(input_BTD, heads_.query()));
  const at::Tensor keys_BKE = segment_rows(kOpenKeys, at::linear(input_BTD, heads_.key()), open);
  const at::Tensor values_BKE =
      segment_rows(kOpenValues, at::linear(input_BTD, heads_.value()), open);
  const at::Tensor k_BHKd = heads_.split(keys_BKE);
  const at::Tensor v_BHKd = heads_.split(values_BKE);
  const int64_t queries = q_BHTd.size(2);
  const int64_t keys = k_BHKd.size(2);

  const at::Tensor mask =
      visibility_mask(queries, keys, {}, {}, x_BTD.options().requires_grad(false));
  const KeyGroup segment{positions_, k_BHKd, v_BHKd, {PositionAxis::last_of(queries, keys)}};
  const AttendedHeads local = heads_.attend(q_BHTd, {segment}, mask, context);
  const at::Tensor recalled_BHTd =
      read_memory(stored(memory), memory_features(precise(q_BHTd, memory)))
          .to(local.mixed_BHTd.options());
  measure(memory, local.mixed_BHTd, recalled_BHTd, context);
  const at::Tensor gate_BH11 = gate(memory);
  if (context.probe != nullptr) {
    context.attended(heads_.layer(), local.weights_BHTK, mask, {{"segment", keys, 0, 0}},
                     {{"associative", gate_BH11.flatten(1).expand({x_BTD.size(0), -1})}});
  }

  MixerResult result;
  result.branch_BTD = heads_.project(at::lerp(local.mixed_BHTd, recalled_BHTd, gate_BH11), context);
  if (context.segment.end == SegmentEnd::kFold) {
    result.memory = written(memory, k_BHKd, v_BHKd, context);
  } else {
    result.memory = memory;
    keep_rows(kOpenKeys, keys_BKE, 0, context.segment, result);
    keep_rows(kOpenValues, values_BKE, 0, context.segment, result);
  }
  return result;
}

void InfiniAttention::measure(const LayerMemory& memory, const at::Tensor& local_BHTd,
                              const at::Tensor& recalled_BHTd, const StepContext& context) const {
  if (context.probe == nullptr) return;
  const at::Tensor lanes = memory.queue(kTokens).slots.nonzero().squeeze(1);
  const at::Tensor padding_B1T1 = context.segment.valid_BT.logical_not().unsqueeze(1).unsqueeze(3);
  const auto norm = [&](const at::Tensor& x_BHTd) {
    const at::Tensor own_BHTd = x_BHTd.detach().masked_fill(padding_B1T1, 0);
    return own_BHTd.index_select(0, lanes).square().sum({2, 3}, false, at::kDouble).sqrt();
  };
  const int64_t layer = heads_.layer();
  context.measure("gate", layer, beta_.sigmoid(), MeasureKind::kShare);
  context.measure("memory_over_local", layer, norm(recalled_BHTd) / norm(local_BHTd),
                  MeasureKind::kNumber);
  context.measure("memory_normalizer", layer,
                  memory.queue(kNormalizer).slots.index_select(0, lanes), MeasureKind::kNumber);
}

at::Tensor InfiniAttention::gate(const LayerMemory& memory) const {
  const at::Tensor gate_H11 = beta_.sigmoid().view({-1, 1, 1});
  if (settings_.first_segment == FirstSegment::kZero) return gate_H11.unsqueeze(0);
  const at::Tensor holds_B111 = memory.queue(kTokens).slots.gt(0).view({-1, 1, 1, 1});
  return at::where(holds_B111, gate_H11, at::zeros({}, gate_H11.options()));
}

LayerMemory InfiniAttention::written(const LayerMemory& memory, const at::Tensor& k_BHKd,
                                     const at::Tensor& v_BHKd, const StepContext& context) const {
  const AssociativeMemory after =
      write_memory(stored(memory), memory_features(precise(k_BHKd, memory)),
                   precise(v_BHKd, memory), settings_.write);
  const at::Tensor tokens_B = memory.queue(kTokens).slots + k_BHKd.size(2);
  const auto& padded_B = context.segment.padded_B;
  return {{{kMatrix, emptied(after.matrix_BHdd, padded_B), {}},
           {kNormalizer, emptied(after.normalizer_BHd, padded_B), {}},
           {kTokens, emptied(tokens_B, padded_B), {}}}};
}

LayerMemory InfiniAttention::initial_memory(int64_t lanes, MemoryUse) const {
  const int64_t heads = beta_.size(0);
  const int64_t d = heads_.d_head();
  const auto weights = beta_.options().requires_grad(false);
  const auto state = weights.dtype(state_type(heads_.dtype()));
  return {{{kMatrix, at::zeros({lanes, heads, d, d}, state), {}},
           {kNormalizer, at::zeros({lanes, heads, d}, state), {}},
           {kTokens, at::zeros({lanes}, weights.dtype(at::kLong)), {}}}};
}

LayerFootprint InfiniAttention::footprint(int64_t segment_length, MemoryUse) const {
  const int64_t d = heads_.d_head();
  return {
      Held::floating(beta_.size(0) * d * (d + 1), state_type(heads_.dtype())) + Held::counting(1),
      heads_.key_value_rows(segment_length), heads_.attention_held(segment_length, segment_length)};
}

}  // namespace lc

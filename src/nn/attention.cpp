#include "nn/attention.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "nn/visibility.h"

namespace lc {
namespace {

constexpr RowQueue kKeyRows{"memory.keys", "open.keys"};
constexpr RowQueue kValueRows{"memory.values", "open.values"};

}  // namespace

Attention::Attention(ParameterSet& parameters, const TransformerSettings& sizes,
                     const AttentionSettings& settings, const PositionScheme& positions,
                     int64_t layer)
    : heads_(parameters, sizes, layer), settings_(settings), positions_(positions.layer(layer)) {}

MixerResult Attention::forward(const at::Tensor& x_BTD, const LayerMemory& memory,
                               const LayerMemory& open, const StepContext& context) const {
  const bool projected = memory.find(kKeyRows.memory) != nullptr;
  const at::Tensor own = heads_.usable(x_BTD);
  const at::Tensor own_keys = at::linear(own, heads_.key());
  const at::Tensor own_values = at::linear(own, heads_.value());

  // Old rows are projected apart from the new ones: training memory needs no input gradient.
  std::vector<at::Tensor> keys;
  std::vector<at::Tensor> values;
  if (projected) {
    for (const at::Tensor& rows : older_rows(kKeyRows, memory, open)) {
      keys.push_back(heads_.split(rows));
    }
    for (const at::Tensor& rows : older_rows(kValueRows, memory, open)) {
      values.push_back(heads_.split(rows));
    }
  } else {
    for (const at::Tensor& inputs : older_rows(kInputRows, memory, open)) {
      if (inputs.size(1) == 0) continue;
      const at::Tensor rows = heads_.usable(inputs);
      keys.push_back(heads_.split(at::linear(rows, heads_.key())));
      values.push_back(heads_.split(at::linear(rows, heads_.value())));
    }
  }
  keys.push_back(heads_.split(own_keys));
  values.push_back(heads_.split(own_values));
  const at::Tensor keys_BHKd = at::cat(keys, 2);
  const at::Tensor values_BHKd = at::cat(values, 2);

  const int64_t queries = x_BTD.size(1);
  const at::Tensor mask =
      visibility_mask(queries, keys_BHKd.size(2), settings_.farthest,
                      fill_of(memory.find(projected ? kKeyRows.memory : kInputRows.memory)),
                      x_BTD.options().requires_grad(false));
  const PositionAxis axis = PositionAxis::last_of(queries, keys_BHKd.size(2));
  const MixedHeads mixed =
      heads_.mix(heads_.split(at::linear(own, heads_.query())),
                 {{positions_, keys_BHKd, values_BHKd, {axis}}}, mask, context);
  if (context.probe != nullptr) {
    context.attended(heads_.layer(), mixed.weights_BHTK, mask,
                     row_stretches(projected ? kKeyRows : kInputRows, memory,
                                   settings_.memory_length, keys_BHKd.size(2)));
  }

  MixerResult result;
  result.branch_BTD = mixed.branch_BTD;
  result.memory = memory;
  const auto keep = [&](const RowQueue& names, const at::Tensor& rows) {
    keep_rows(names, segment_rows(names, rows, open), settings_.memory_length, context.segment,
              result);
  };
  if (projected) {
    keep(kKeyRows, own_keys);
    keep(kValueRows, own_values);
  } else {
    keep(kInputRows, x_BTD);
  }
  return result;
}

LayerMemory Attention::initial_memory(int64_t lanes, MemoryUse use) const {
  LayerMemory memory;
  if (settings_.memory_length == 0 && use == MemoryUse::kTraining) return memory;
  const int64_t slots =
      settings_.initial_memory == InitialMemory::kZeros ? settings_.memory_length : 0;
  const std::vector<int64_t> fill_B(static_cast<size_t>(lanes), slots);
  const auto options = heads_.query().options().requires_grad(false);
  if (use == MemoryUse::kTraining) {
    memory.queues.push_back(
        {kInputRows.memory, at::zeros({lanes, slots, heads_.d_model()}, options), fill_B});
    return memory;
  }
  const c10::NoGradGuard no_gradient;
  const at::Tensor zero_row = at::zeros({1, 1, heads_.d_model()}, options);
  const at::Tensor rows = heads_.usable(zero_row);
  const auto of_all = [&](const at::Tensor& weight) {
    return at::linear(rows, weight).expand({lanes, slots, -1}).contiguous();
  };
  memory.queues.push_back({kKeyRows.memory, of_all(heads_.key()), fill_B});
  memory.queues.push_back({kValueRows.memory, of_all(heads_.value()), fill_B});
  return memory;
}

std::optional<MixerReach> Attention::reach(int64_t /*segment_length*/) const {
  const int64_t memory = settings_.memory_length;
  if (settings_.farthest && *settings_.farthest <= memory) {
    return MixerReach{*settings_.farthest, ReachFrom::kQuery};
  }
  return MixerReach{memory, ReachFrom::kSegment};
}

LayerFootprint Attention::footprint(int64_t segment_length, MemoryUse use) const {
  const auto kept = [&](int64_t rows) {
    return use == MemoryUse::kInference ? heads_.key_value_rows(rows)
                                        : Held::floating(rows * heads_.d_model(), heads_.dtype());
  };
  const int64_t memory = settings_.memory_length;
  return {kept(memory), kept(segment_length),
          heads_.attention_held(segment_length, memory + segment_length)};
}

}  // namespace lc

#include "nn/attention.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "nn/visibility.h"

namespace lc {
namespace {

// The queues that hold one kind of rows, in both parts of a layer's memory.
struct RowQueue {
  const char* memory;
  const char* open;
};
constexpr RowQueue kInputs{"memory", "open"};
constexpr RowQueue kKeys{"memory.keys", "open.keys"};
constexpr RowQueue kValues{"memory.values", "open.values"};

std::string prefix(int64_t layer) { return "layers." + std::to_string(layer) + ".attention."; }

at::Tensor matrix(ParameterSet& parameters, const std::string& name, int64_t rows, int64_t columns,
                  double deviation) {
  return parameters.add(name + ".weight", {rows, columns}, Initial::normal(deviation));
}

// Rows of memory and open part that stand before those of this call; either may be absent.
std::vector<at::Tensor> older_rows(const RowQueue& names, const LayerMemory& memory,
                                   const LayerMemory& open) {
  std::vector<at::Tensor> rows;
  if (const MemoryQueue* queue = memory.find(names.memory)) rows.push_back(queue->slots);
  if (const MemoryQueue* queue = open.find(names.open)) rows.push_back(queue->slots);
  return rows;
}

// What becomes of one kind of rows after the call: appended to memory, or to the open part.
void keep_rows(const RowQueue& names, const at::Tensor& rows_BTE, int64_t capacity,
               const StepContext& context, const LayerMemory& open, MixerResult& result) {
  const MemoryQueue* older = open.find(names.open);
  const at::Tensor segment = older == nullptr ? rows_BTE : at::cat({older->slots, rows_BTE}, 1);
  if (context.segment.end == SegmentEnd::kKeepOpen) {
    const std::vector<int64_t> fill_B(static_cast<size_t>(segment.size(0)), segment.size(1));
    result.open.queues.push_back({names.open, segment, fill_B});
    return;
  }
  for (MemoryQueue& queue : result.memory.queues) {
    if (queue.name == names.memory) {
      queue = append(queue, segment, capacity, context.segment.padded_B);
    }
  }
}

}  // namespace

Attention::Attention(ParameterSet& parameters, const TransformerSettings& sizes,
                     const AttentionSettings& settings, const PositionScheme& positions,
                     int64_t layer)
    : heads_(sizes.heads),
      d_head_(sizes.d_head),
      dropout_(sizes.dropout),
      attention_dropout_(sizes.attention_dropout),
      pre_norm_(sizes.norm == NormPlace::kPre),
      settings_(settings),
      layer_(layer),
      positions_(positions.layer(layer)),
      query_(matrix(parameters, prefix(layer) + "query", heads_ * d_head_, sizes.d_model,
                    sizes.init_deviation)),
      key_(matrix(parameters, prefix(layer) + "key", heads_ * d_head_, sizes.d_model,
                  sizes.init_deviation)),
      value_(matrix(parameters, prefix(layer) + "value", heads_ * d_head_, sizes.d_model,
                    sizes.init_deviation)),
      output_(matrix(parameters, prefix(layer) + "output", sizes.d_model, heads_ * d_head_,
                     sizes.init_deviation)),
      norm_(parameters, prefix(layer) + "norm", sizes.d_model, sizes.init_deviation,
            sizes.norm_eps) {}

at::Tensor Attention::heads(const at::Tensor& x_BnE) const {
  return x_BnE.unflatten(2, {heads_, d_head_}).transpose(1, 2);
}

MixerResult Attention::forward(const at::Tensor& x_BTD, const LayerMemory& memory,
                               const LayerMemory& open, const StepContext& context) const {
  const auto usable = [&](const at::Tensor& rows) { return pre_norm_ ? norm_(rows) : rows; };
  const bool projected = memory.find(kKeys.memory) != nullptr;
  const at::Tensor own = usable(x_BTD);
  const at::Tensor own_keys = at::linear(own, key_);
  const at::Tensor own_values = at::linear(own, value_);

  // Old rows are projected apart from the new ones: training memory needs no input gradient.
  std::vector<at::Tensor> keys;
  std::vector<at::Tensor> values;
  if (projected) {
    for (const at::Tensor& rows : older_rows(kKeys, memory, open)) keys.push_back(heads(rows));
    for (const at::Tensor& rows : older_rows(kValues, memory, open)) values.push_back(heads(rows));
  } else {
    for (const at::Tensor& inputs : older_rows(kInputs, memory, open)) {
      if (inputs.size(1) == 0) continue;
      const at::Tensor rows = usable(inputs);
      keys.push_back(heads(at::linear(rows, key_)));
      values.push_back(heads(at::linear(rows, value_)));
    }
  }
  keys.push_back(heads(own_keys));
  values.push_back(heads(own_values));
  const at::Tensor keys_BHKd = at::cat(keys, 2);
  const at::Tensor values_BHKd = at::cat(values, 2);

  const MemoryQueue* remembered = memory.find(projected ? kKeys.memory : kInputs.memory);
  MemoryFill fill;
  if (remembered != nullptr) fill = {remembered->slots.size(1), remembered->fill_B};
  const at::Tensor mask = visibility_mask(x_BTD.size(1), keys_BHKd.size(2), settings_.farthest,
                                          fill, x_BTD.options().requires_grad(false));

  MixerResult result;
  result.branch_BTD = attend(heads(at::linear(own, query_)), keys_BHKd, values_BHKd, mask, context);
  result.memory = memory;
  if (projected) {
    keep_rows(kKeys, own_keys, settings_.memory_length, context, open, result);
    keep_rows(kValues, own_values, settings_.memory_length, context, open, result);
  } else {
    keep_rows(kInputs, x_BTD, settings_.memory_length, context, open, result);
  }
  return result;
}

at::Tensor Attention::attend(const at::Tensor& q_BHTd, const at::Tensor& keys_BHKd,
                             const at::Tensor& values_BHKd, const at::Tensor& mask,
                             const StepContext& context) const {
  const PositionAxis axis = PositionAxis::last_of(q_BHTd.size(2), keys_BHKd.size(2));
  const at::Tensor scores_BHTK =
      positions_.scores_for_softmax(q_BHTd, keys_BHKd, axis, context).add_(mask);
  const at::Tensor weights_BHTK = at::softmax(scores_BHTK, 3);
  context.observe("attention_weights", layer_, weights_BHTK);
  const at::Tensor mixed_BHTd = positions_.value(
      context.dropout(weights_BHTK, attention_dropout_, "attention_weights", layer_), values_BHKd,
      axis);
  const at::Tensor branch_BTD = at::linear(mixed_BHTd.transpose(1, 2).flatten(2), output_);
  return context.dropout(branch_BTD, dropout_, "attention_branch", layer_);
}

LayerMemory Attention::initial_memory(int64_t lanes, MemoryUse use) const {
  LayerMemory memory;
  if (settings_.memory_length == 0 && use == MemoryUse::kTraining) return memory;
  const int64_t slots =
      settings_.initial_memory == InitialMemory::kZeros ? settings_.memory_length : 0;
  const std::vector<int64_t> fill_B(static_cast<size_t>(lanes), slots);
  const auto options = query_.options().requires_grad(false);
  if (use == MemoryUse::kTraining) {
    memory.queues.push_back(
        {kInputs.memory, at::zeros({lanes, slots, query_.size(1)}, options), fill_B});
    return memory;
  }
  const c10::NoGradGuard no_gradient;
  const at::Tensor zero_row = at::zeros({1, 1, query_.size(1)}, options);
  const at::Tensor rows = pre_norm_ ? norm_(zero_row) : zero_row;
  const auto of_all = [&](const at::Tensor& weight) {
    return at::linear(rows, weight).expand({lanes, slots, -1}).contiguous();
  };
  memory.queues.push_back({kKeys.memory, of_all(key_), fill_B});
  memory.queues.push_back({kValues.memory, of_all(value_), fill_B});
  return memory;
}

std::optional<MixerReach> Attention::reach() const {
  const int64_t memory = settings_.memory_length;
  if (settings_.farthest && *settings_.farthest <= memory) {
    return MixerReach{*settings_.farthest, ReachFrom::kQuery};
  }
  return MixerReach{memory, ReachFrom::kSegment};
}

}  // namespace lc

#include "nn/compressive_attention.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "nn/compression/eviction.h"
#include "nn/compression/most_used.h"
#include "nn/visibility.h"

namespace lc {
namespace {

constexpr const char* kCompressed = "compressed";
constexpr const char* kAges = "compressed.ages";
constexpr const char* kReceived = "open.received";

const LayerPositions& positions_of_slots(const PositionScheme& positions, int64_t layer,
                                         CompressedPositions where) {
  if (where != CompressedPositions::kSeparate) return positions.layer(layer);
  const LayerPositions* own = positions.group(layer, kCompressedKeys);
  return own == nullptr ? positions.layer(layer) : *own;
}

std::unique_ptr<CompressionLoss> make_loss(const CompressiveSettings& settings,
                                           ParameterSet& parameters, const HeadProjections& heads,
                                           const std::string& prefix) {
  switch (settings.objective) {
    case CompressionObjective::kAttentionReconstruction:
      // Without memory no query stands after compressed rows: such a model is only read with.
      if (settings.memory_length == 0) return nullptr;
      return make_attention_reconstruction(heads, settings.memory_length);
    case CompressionObjective::kAutoEncoding:
      return make_auto_encoding(parameters, prefix, heads, settings.compression.rate);
    default:
      return nullptr;
  }
}

int64_t most(const std::vector<int64_t>& fill_B) {
  return *std::max_element(fill_B.begin(), fill_B.end());
}

at::Tensor newest_slots(const MemoryQueue& queue, int64_t slots) {
  return queue.slots.narrow(1, queue.slots.size(1) - slots, slots);
}

// Positions of slots in one lane or more: minus their ages, 0 being the segment's first input.
PositionAxis axis_of_ages(const std::vector<int64_t>& q_pos, const std::vector<int64_t>& ages) {
  std::vector<int64_t> k_pos;
  for (const int64_t age : ages) k_pos.push_back(-age);
  return PositionAxis::of(q_pos, std::move(k_pos));
}

// One axis where lanes agree in what is filled, else one for each.
std::vector<PositionAxis> axes_of_ages(const MemoryQueue& queue, int64_t slots,
                                       const std::vector<int64_t>& q_pos) {
  const at::Tensor ages_BK = newest_slots(queue, slots).to(at::kCPU).contiguous();
  const auto ages = ages_BK.accessor<int64_t, 2>();
  std::vector<int64_t> shared(static_cast<size_t>(slots), 0);  // 0: not met yet, ages are positive
  bool agree = true;
  const auto each_filled = [&](size_t b, auto&& take) {
    for (int64_t j = slots - queue.fill_B[b]; j < slots; ++j) {
      take(static_cast<size_t>(j), ages[static_cast<int64_t>(b)][j]);
    }
  };
  for (size_t b = 0; b < queue.fill_B.size(); ++b) {
    each_filled(b, [&](size_t j, int64_t age) {
      agree = agree && (shared[j] == 0 || shared[j] == age);
      shared[j] = age;
    });
  }
  if (agree) return {axis_of_ages(q_pos, shared)};
  std::vector<PositionAxis> axes;
  for (size_t b = 0; b < queue.fill_B.size(); ++b) {
    std::vector<int64_t> own = shared;
    each_filled(b, [&](size_t j, int64_t age) { own[j] = age; });
    axes.push_back(axis_of_ages(q_pos, own));
  }
  return axes;
}

}  // namespace

// Groups of keys, oldest first, and which of them each query sees.
struct CompressiveAttention::Keys {
  std::vector<KeyGroup> groups;
  at::Tensor mask;
};

// Memory and the whole segment as it is folded.
struct CompressiveAttention::Seen {
  at::Tensor rows_BnD;
  at::Tensor received_Bn;  // undefined where the compressor doesn't ask for it
  at::Tensor q_BHTd;
  std::vector<int64_t> fill_B;  // of the memory
  int64_t length = 0;           // of the segment
};

CompressiveAttention::CompressiveAttention(ParameterSet& parameters,
                                           const TransformerSettings& sizes,
                                           const CompressiveSettings& settings,
                                           const PositionScheme& positions, int64_t layer)
    : heads_(parameters, sizes, layer),
      settings_(settings),
      positions_(positions.layer(layer)),
      compressed_positions_(positions_of_slots(positions, layer, settings.positions)) {
  const std::string prefix = "layers." + std::to_string(layer) + ".compression.";
  compressor_ = make_compressor(settings.compression, parameters, prefix, sizes.d_model);
  loss_ = make_loss(settings_, parameters, heads_, prefix);
}

KeyGroup CompressiveAttention::key_group(const std::vector<at::Tensor>& rows,
                                         const LayerPositions& positions,
                                         std::vector<PositionAxis> axes) const {
  std::vector<at::Tensor> keys;
  std::vector<at::Tensor> values;
  for (const at::Tensor& part : rows) {
    keys.push_back(heads_.split(at::linear(part, heads_.key())));
    values.push_back(heads_.split(at::linear(part, heads_.value())));
  }
  return {positions, at::cat(keys, 2), at::cat(values, 2), std::move(axes)};
}

CompressiveAttention::Keys CompressiveAttention::keys(const at::Tensor& own_BTD,
                                                      const LayerMemory& memory,
                                                      const LayerMemory& open) const {
  std::vector<at::Tensor> rows;
  int64_t count = own_BTD.size(1);
  for (const at::Tensor& inputs : older_rows(kInputRows, memory, open)) {
    if (inputs.size(1) > 0) rows.push_back(heads_.usable(inputs));
    count += inputs.size(1);
  }
  rows.push_back(own_BTD);
  const int64_t queries = own_BTD.size(1);
  const auto options = own_BTD.options().requires_grad(false);
  const at::Tensor mask =
      visibility_mask(queries, count, {}, fill_of(memory.find(kInputRows.memory)), options);
  const MemoryQueue* compressed = memory.find(kCompressed);
  const int64_t slots = compressed == nullptr ? 0 : most(compressed->fill_B);
  if (slots == 0) {
    return {{key_group(rows, positions_, {PositionAxis::last_of(queries, count)})}, mask};
  }
  const at::Tensor slot_rows = heads_.usable(newest_slots(*compressed, slots));
  const at::Tensor both_mask =
      joined_mask(filled_mask({slots, compressed->fill_B}, queries, options), mask);
  if (settings_.positions == CompressedPositions::kContiguous) {
    // Where a slot is filled anywhere, memory is full there: the axis has no gap.
    rows.insert(rows.begin(), slot_rows);
    return {{key_group(rows, positions_, {PositionAxis::last_of(queries, slots + count)})},
            both_mask};
  }
  const MemoryQueue* opened = open.find(kInputRows.open);
  std::vector<int64_t> q_pos(static_cast<size_t>(queries));
  std::iota(q_pos.begin(), q_pos.end(), opened == nullptr ? 0 : opened->slots.size(1));
  return {{key_group({slot_rows}, compressed_positions_, compressed_axes(memory, q_pos, slots)),
           key_group(rows, positions_, {PositionAxis::last_of(queries, count)})},
          both_mask};
}

std::vector<PositionAxis> CompressiveAttention::compressed_axes(const LayerMemory& memory,
                                                                const std::vector<int64_t>& q_pos,
                                                                int64_t slots) const {
  if (settings_.positions == CompressedPositions::kDistance) {
    return axes_of_ages(memory.queue(kAges), slots, q_pos);
  }
  std::vector<int64_t> k_pos(static_cast<size_t>(slots));
  std::iota(k_pos.begin(), k_pos.end(), -slots);
  return {PositionAxis::of(q_pos, std::move(k_pos))};
}

std::vector<KeyStretch> CompressiveAttention::stretches(const LayerMemory& memory,
                                                        int64_t keys) const {
  const MemoryQueue* compressed = memory.find(kCompressed);
  const int64_t slots = compressed == nullptr ? 0 : most(compressed->fill_B);
  std::vector<KeyStretch> all =
      row_stretches(kInputRows, memory, settings_.memory_length, keys - slots);
  if (compresses()) {
    all.insert(all.begin(), {"compressed", slots, -slots, -settings_.compressed_length});
  }
  return all;
}

MixerResult CompressiveAttention::forward(const at::Tensor& x_BTD, const LayerMemory& memory,
                                          const LayerMemory& open,
                                          const StepContext& context) const {
  const at::Tensor own = heads_.usable(x_BTD);
  const at::Tensor q_BHTd = heads_.split(at::linear(own, heads_.query()));
  const Keys all = keys(own, memory, open);
  const MixedHeads mixed = heads_.mix(q_BHTd, all.groups, all.mask, context);
  if (context.probe != nullptr) {
    context.attended(heads_.layer(), mixed.weights_BHTK, all.mask,
                     stretches(memory, mixed.weights_BHTK.size(3)));
  }
  MixerResult result{mixed.branch_BTD, memory, {}, {}};
  const at::Tensor segment = segment_rows(kInputRows, x_BTD, open);
  keep_rows(kInputRows, segment, settings_.memory_length, context.segment, result);
  if (!compresses()) return result;

  const MemoryFill fill = fill_of(memory.find(kInputRows.memory));
  at::Tensor received;
  if (compressor_->uses_attention()) {
    received = received_attention(mixed.weights_BHTK, fill.slots + segment.size(1));
    if (const MemoryQueue* earlier = open.find(kReceived)) {
      received = received + at::constant_pad_nd(earlier->slots, {0, x_BTD.size(1)});
    }
  }
  if (context.segment.end == SegmentEnd::kKeepOpen) {
    if (received.defined()) result.open.queues.push_back({kReceived, received, {}});
    return result;
  }
  Seen seen{segment, received, q_BHTd, fill.fill_B, segment.size(1)};
  if (fill.slots > 0) {
    seen.rows_BnD = at::cat({memory.queue(kInputRows.memory).slots, segment}, 1);
  }
  if (received.defined()) seen.received_Bn = mean_received(received, seen.length);
  if (seen.fill_B.empty()) seen.fill_B.assign(static_cast<size_t>(x_BTD.size(0)), 0);
  compress(seen, context, result);
  return result;
}

void CompressiveAttention::compress(const Seen& seen, const StepContext& context,
                                    MixerResult& result) const {
  const std::vector<char>& padded_B = context.segment.padded_B;
  std::vector<LaneRows> slots;
  std::vector<LaneRows> ages;
  AuxiliaryLoss auxiliary{loss_ ? loss_->name() : "", heads_.layer(), {}, 0};
  for (const LaneGroup& group :
       by_rows(evicted_B(seen.fill_B, {seen.length, padded_B}, settings_.memory_length))) {
    if (compressor_->slots(group.rows) == 0) continue;
    // Memory stands at the newest end of its slots, so what lanes give up ends at the same row.
    const int64_t first = seen.rows_BnD.size(1) - settings_.memory_length - group.rows;
    const auto evicted = [&](const at::Tensor& all) {
      return of_lanes(all, group.lanes).narrow(1, first, group.rows);
    };
    EvictedRows rows{evicted(seen.rows_BnD), {}};
    if (loss_) rows.rows_nkD = rows.rows_nkD.detach();
    if (seen.received_Bn.defined()) rows.received_nk = evicted(seen.received_Bn);
    const CompressedRows made = compressor_->compress(rows);
    slots.push_back({group.lanes, loss_ ? made.slots_ngD.detach() : made.slots_ngD});
    ages.push_back({group.lanes, settings_.memory_length + group.rows - made.newest_ng});
    const bool whole = seen.q_BHTd.size(2) == seen.length;  // came in one call
    LC_CHECK(whole || !context.training);
    if (!loss_ || !whole || !(context.training || context.probe != nullptr)) continue;
    const at::Tensor loss_n =
        loss_->per_lane({rows.rows_nkD, made.slots_ngD, of_lanes(seen.q_BHTd, group.lanes)});
    if (context.probe != nullptr) {
      const at::Tensor scored_n = of_lanes(context.segment.weights_BT, group.lanes).ne(0).any(1);
      context.measure(loss_->name(), heads_.layer(), loss_n.masked_select(scored_n),
                      MeasureKind::kNumber);
    }
    if (!context.training) continue;
    const at::Tensor sum = loss_n.sum();
    auxiliary.sum = auxiliary.sum.defined() ? auxiliary.sum + sum : sum;
    auxiliary.count += static_cast<int64_t>(group.lanes.size());
  }
  for (MemoryQueue& queue : result.memory.queues) {
    if (queue.name == kCompressed) {
      queue = append(queue, slots, settings_.compressed_length, padded_B);
    } else if (queue.name == kAges) {
      const MemoryQueue older{queue.name, queue.slots + seen.length, queue.fill_B};
      queue = append(older, ages, settings_.compressed_length, padded_B);
    }
  }
  if (auxiliary.count > 0) result.auxiliary.push_back(std::move(auxiliary));
}

LayerMemory CompressiveAttention::initial_memory(int64_t lanes, MemoryUse /*use*/) const {
  LayerMemory memory;
  const auto options = heads_.query().options().requires_grad(false);
  const bool zeros = settings_.initial_memory == InitialMemory::kZeros;
  const auto add = [&](const char* name, int64_t length) {
    const int64_t slots = zeros ? length : 0;
    memory.queues.push_back({name, at::zeros({lanes, slots, heads_.d_model()}, options),
                             std::vector<int64_t>(static_cast<size_t>(lanes), slots)});
  };
  if (settings_.memory_length > 0) add(kInputRows.memory, settings_.memory_length);
  if (!compresses()) return memory;
  add(kCompressed, settings_.compressed_length);
  if (settings_.positions == CompressedPositions::kDistance) {
    // As if each zero slot had been made of c zero rows before those in memory.
    const int64_t slots = memory.queues.back().slots.size(1);
    const at::Tensor ages_K =
        at::arange(slots - 1, -1, -1, options.dtype(at::kLong)) * settings_.compression.rate +
        (settings_.memory_length + 1);
    memory.queues.push_back(
        {kAges, ages_K.unsqueeze(0).repeat({lanes, 1}), memory.queues.back().fill_B});
  }
  return memory;
}

std::optional<MixerReach> CompressiveAttention::reach(int64_t segment_length) const {
  int64_t inputs = settings_.memory_length;
  if (compresses()) {
    // What is kept depends on attention to the slots before, which depend on those before them.
    if (compressor_->uses_attention()) return {};
    if (const int64_t slots = compressor_->slots(segment_length); slots > 0) {
      const int64_t segments = (settings_.compressed_length + slots - 1) / slots;
      const int64_t forgotten = segments * slots - settings_.compressed_length;
      inputs += segments * segment_length - forgotten * settings_.compression.rate;
    }
  }
  return MixerReach{inputs, ReachFrom::kSegment};
}

LayerFootprint CompressiveAttention::footprint(int64_t segment_length, MemoryUse /*use*/) const {
  const int64_t slots = settings_.compressed_length;
  const int64_t rows = settings_.memory_length + segment_length;  // that a segment is read with
  const auto inputs = [&](int64_t count) {
    return Held::floating(count * heads_.d_model(), heads_.dtype());
  };
  LayerFootprint held{inputs(settings_.memory_length + slots), inputs(segment_length),
                      heads_.attention_held(segment_length, slots + rows)};
  if (!compresses()) return held;
  if (settings_.positions == CompressedPositions::kDistance) held.carried += Held::counting(slots);
  if (compressor_->uses_attention()) held.rows += Held::floating(rows, heads_.dtype());
  return held;
}

std::vector<AuxiliaryShare> CompressiveAttention::auxiliary_shares(
    const LayerMemory& memory, const std::vector<const Segment*>& segments) const {
  if (!loss_ || !compresses() || segments.empty()) return {};
  const int64_t capacity = settings_.memory_length;
  const int64_t initial = settings_.initial_memory == InitialMemory::kZeros ? capacity : 0;
  std::vector<int64_t> fill_B = fill_of(memory.find(kInputRows.memory)).fill_B;
  fill_B.resize(segments.front()->starts_B.size(), 0);
  AuxiliaryShare share{loss_->name(), heads_.layer(), settings_.auxiliary_weight, 0};
  for (const Segment* segment : segments) {
    for (size_t b = 0; b < fill_B.size(); ++b) {
      if (segment->starts_B[b]) fill_B[b] = initial;
    }
    const auto rows_B = evicted_B(fill_B, {segment->length(), segment->padded_B}, capacity);
    for (size_t b = 0; b < fill_B.size(); ++b) {
      if (compressor_->slots(rows_B[b]) > 0) ++share.count;
      fill_B[b] = segment->padded_B[b] ? 0 : std::min(fill_B[b] + segment->length(), capacity);
    }
  }
  return {share};
}

}  // namespace lc

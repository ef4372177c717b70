#include "nn/memory_rows.h"

#include <ATen/ATen.h>

namespace lc {

std::vector<at::Tensor> older_rows(const RowQueue& names, const LayerMemory& memory,
                                   const LayerMemory& open) {
  std::vector<at::Tensor> rows;
  if (const MemoryQueue* queue = memory.find(names.memory)) rows.push_back(queue->slots);
  if (const MemoryQueue* queue = open.find(names.open)) rows.push_back(queue->slots);
  return rows;
}

std::vector<KeyStretch> row_stretches(const RowQueue& names, const LayerMemory& memory,
                                      int64_t capacity, int64_t keys) {
  const MemoryQueue* queue = memory.find(names.memory);
  const int64_t slots = queue == nullptr ? 0 : queue->slots.size(1);
  const KeyStretch segment{"segment", keys - slots, 0, 0};
  if (capacity == 0) return {segment};
  return {{"memory", slots, -slots, -capacity}, segment};
}

at::Tensor segment_rows(const RowQueue& names, const at::Tensor& rows_BTE,
                        const LayerMemory& open) {
  const MemoryQueue* older = open.find(names.open);
  return older == nullptr ? rows_BTE : at::cat({older->slots, rows_BTE}, 1);
}

void keep_rows(const RowQueue& names, const at::Tensor& segment_BSE, int64_t capacity,
               const Segment& segment, MixerResult& result) {
  if (segment.end == SegmentEnd::kKeepOpen) {
    const std::vector<int64_t> fill_B(static_cast<size_t>(segment_BSE.size(0)),
                                      segment_BSE.size(1));
    result.open.queues.push_back({names.open, segment_BSE, fill_B});
    return;
  }
  for (MemoryQueue& queue : result.memory.queues) {
    if (queue.name == names.memory) {
      queue = append(queue, segment_BSE, capacity, segment.padded_B);
    }
  }
}

}  // namespace lc

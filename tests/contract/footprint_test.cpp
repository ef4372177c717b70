// Footprints by formula against what memory and attention really hold, for every registered model.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "catch.h"
#include "contract/zoo.h"

namespace {

using lc::Held;
using lc::MemoryState;
using lc::MemoryUse;

constexpr int64_t kLength = 8;
constexpr int64_t kSegments = 12;  // enough to fill every memory of the zoo

void add(const lc::LayerMemory& layer, Held& held) {
  for (const lc::MemoryQueue& queue : layer.queues) {
    const at::Tensor& slots = queue.slots;
    held.bytes += static_cast<int64_t>(slots.nbytes());
    (slots.is_floating_point() ? held.numbers : held.counters) += slots.numel();
  }
}

Held carried(const MemoryState& memory) {
  Held held;
  for (int64_t l = 0; l < memory.layer_count(); ++l) add(memory.layer(l), held);
  return held;
}

Held open_rows(const MemoryState& memory) {
  Held held;
  for (int64_t l = 0; l < memory.layer_count(); ++l) add(memory.open(l), held);
  return held;
}

// Keys, values and weights of the largest softmax that was seen.
class AttentionSize : public lc::Probe {
 public:
  explicit AttentionSize(int64_t d_head) : d_head_(d_head) {}
  void observe(std::string_view name, int64_t, const at::Tensor& value) override {
    if (name != "attention_weights") return;
    const int64_t keys_and_values = 2 * value.size(1) * value.size(3) * d_head_;
    numbers_ = std::max(numbers_, keys_and_values + value.numel());
    element_size_ = static_cast<int64_t>(value.element_size());
  }
  Held held() const { return {numbers_, 0, numbers_ * element_size_}; }

 private:
  int64_t d_head_;
  int64_t numbers_ = 0;
  int64_t element_size_ = 0;
};

MemoryState filled(const lc::LanguageModel& model, const at::Tensor& text, MemoryUse use) {
  MemoryState memory = model.initial_memory(text.size(0), use);
  for (int64_t s = 0; s < kSegments; ++s) {
    memory = model.advance(zoo::segment(text, s * kLength, kLength, s), std::move(memory), {});
  }
  return memory;
}

}  // namespace

TEST_CASE("footprints are the bytes and numbers that are really held", "[contract]") {
  const c10::NoGradGuard no_gradient;
  const at::Tensor text = zoo::tokens(1, (kSegments + 1) * kLength + 1, 30);
  for (const zoo::Variant& variant : zoo::variants()) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
      const auto model = zoo::build(variant.model, {type, at::kCPU});
      for (const MemoryUse use : {MemoryUse::kTraining, MemoryUse::kInference}) {
        INFO(variant.name << (use == MemoryUse::kTraining ? ", training" : ", inference"));
        const lc::Footprint footprint = model->footprint(kLength, use);
        const MemoryState memory = filled(*model, text, use);
        CHECK(footprint.carried == carried(memory));
        CHECK(footprint.carried.bytes == memory.bytes());
        lc::Segment next = zoo::segment(text, kSegments * kLength, kLength, kSegments);
        AttentionSize attention(variant.model.at("d_head"));
        const MemoryState later =
            model->advance(next, memory.clone(), {.training = false, .probe = &attention});
        CHECK(footprint.attention == attention.held());
        CHECK(later.bytes() == memory.bytes());
        next.end = lc::SegmentEnd::kKeepOpen;
        const MemoryState open = model->advance(next, memory.clone(), {});
        CHECK(footprint.rows == open_rows(open));
        CHECK(footprint.carried.bytes + footprint.rows.bytes == open.bytes());
        CHECK(footprint.reach == model->reach(kLength));
      }
    }
  }
}

TEST_CASE("lanes hold equally much, and a model without storage tells the same", "[contract]") {
  const c10::NoGradGuard no_gradient;
  const at::Tensor text = zoo::tokens(3, kSegments * kLength + 1, 31);
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const lc::Footprint footprint = zoo::build(variant.model, {at::kFloat, at::kMeta})
                                        ->footprint(kLength, MemoryUse::kTraining);
    const auto model = zoo::build(variant.model, {at::kFloat, at::kCPU});
    CHECK(3 * footprint.carried.bytes == filled(*model, text, MemoryUse::kTraining).bytes());
  }
}

// Which inputs before a segment matter to it, against what a model says of its reach.
#include <ATen/ATen.h>

#include <optional>

#include "catch.h"
#include "contract/passes.h"
#include "contract/zoo.h"

namespace {

constexpr int64_t kLength = 8;  // of segments
// Segments after which a memory of unbounded reach still knows something of the first: a state that
// everything is added to, and rows of which attention picks those that stay.
constexpr int64_t kLasting = 17;
constexpr int64_t kPicked = 4;

// A segment after so many others, and which inputs before it change its losses.
class LateSegment {
 public:
  LateSegment(const lc::LanguageModel& model, int64_t segments_before)
      : model_(model),
        first_(segments_before * kLength),
        text_(zoo::tokens(1, first_ + kLength + 1, 4)),
        losses_(losses(text_)) {}

  int64_t first() const { return first_; }
  // Some other token at that place. One that is as good as the old need not: a maximum over inputs
  // may be taken from others both times.
  bool matters(int64_t place) const {
    for (int64_t other = 1; other < zoo::kVocabulary; ++other) {
      at::Tensor changed = text_.clone();
      changed[0][place] = (text_[0][place] + other) % zoo::kVocabulary;
      if (zoo::difference(losses(changed), losses_) > 0.0) return true;
    }
    return false;
  }
  // Any place in the very first segment.
  bool early_ones_matter() const {
    for (int64_t place = 0; place < kLength; ++place) {
      if (matters(place)) return true;
    }
    return false;
  }
  // All inputs before `end` are others, and nothing comes of it.
  bool without_effect(int64_t end) const {
    at::Tensor changed = text_.clone();
    changed.narrow(1, 0, end).add_(1).remainder_(zoo::kVocabulary);
    return zoo::difference(losses(changed), losses_) == 0.0;
  }

 private:
  at::Tensor losses(const at::Tensor& text) const {
    const int64_t length = first_ + kLength;
    return zoo::run(model_, text, length, kLength).nll_BN.narrow(1, first_, kLength);
  }

  const lc::LanguageModel& model_;
  int64_t first_;
  at::Tensor text_;
  at::Tensor losses_;
};

bool holds_rows(const lc::LanguageModel& model) {
  const lc::MemoryState memory = model.initial_memory(1, lc::MemoryUse::kTraining);
  for (const lc::MemoryQueue& queue : memory.layer(0).queues) {
    if (queue.counted()) return true;
  }
  return false;
}

// Enough for an input at the end of the reach and for others before it.
int64_t segments_before(const lc::LanguageModel& model) {
  if (const auto reach = model.reach(kLength)) return *reach / kLength + 2;
  return holds_rows(model) ? kPicked : kLasting;
}

}  // namespace

TEST_CASE("memory reaches into later segments exactly as far as reach says", "[contract]") {
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    CHECK(model->has_memory() == variant.carries_memory);
    const std::optional<int64_t> reach = model->reach(kLength);
    const LateSegment late(*model, segments_before(*model));
    // The last input before a segment matters to it if there is memory at all.
    CHECK(late.matters(late.first() - 1) == model->has_memory());
    if (!reach) {
      CHECK(late.early_ones_matter());
      continue;
    }
    if (*reach > 0) CHECK(late.matters(late.first() - *reach));
    CHECK(late.without_effect(late.first() - *reach));
  }
}

// How far back a model looks, measured by changing one input at a time.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "catch.h"
#include "contract/zoo.h"
#include "eval/evaluator.h"
#include "eval/tiny_model.h"

namespace {

// Losses of the segment that begins at `first`, after all segments before it.
at::Tensor losses_from(const lc::LanguageModel& model, const at::Tensor& tokens_BN, int64_t first,
                       int64_t length) {
  const c10::NoGradGuard no_gradient;
  lc::MemoryState memory = model.initial_memory(1, lc::MemoryUse::kTraining);
  at::Tensor last;
  for (int64_t at = 0; at <= first; at += length) {
    auto result =
        model.step(zoo::segment(tokens_BN, at, length, at / length), std::move(memory), {});
    last = result.nll_BT;
    memory = std::move(result.memory);
  }
  return last;
}

}  // namespace

TEST_CASE(
    "Reach is the farthest input before a segment that changes it, and no lead-in is shorter") {
  for (const char* span : {"segment", "fixed", "reference"}) {
    for (const int64_t memory : {1, 3, 5, 7}) {
      for (const int64_t length : {1, 3, 5}) {
        INFO(span << " span, memory " << memory << ", segments of " << length);
        const TinyModel tiny(tiny_xl(memory, span), at::kDouble);
        const int64_t reach = tiny.model->reach(length).value();
        const int64_t first = (reach + 2 + length - 1) / length * length;
        const at::Tensor text = zoo::tokens(1, first + length + 1, 21);
        const at::Tensor before = losses_from(*tiny.model, text, first, length);
        int64_t farthest = 0;
        for (int64_t i = 0; i < first && farthest == 0; ++i) {
          at::Tensor changed = text.clone();
          changed[0][i] = (text[0][i] + 1) % kTinyVocabulary;
          if (!at::equal(before, losses_from(*tiny.model, changed, first, length))) {
            farthest = first - i;
          }
        }
        CHECK(farthest == reach);
        CHECK(lc::lead_in_of(*tiny.model, length).segments.value() * length >= reach);
      }
    }
  }
}

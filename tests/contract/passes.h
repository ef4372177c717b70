// What a model gives over a text that is read in segments, for the contract tests.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/memory_state.h"
#include "models/language_model.h"

namespace zoo {

// Losses of `length` inputs in segments, memory carried, without dropout.
struct Pass {
  at::Tensor nll_BN;
  lc::MemoryState memory;
};
Pass run(const lc::LanguageModel& model, const at::Tensor& tokens_BN, int64_t length,
         int64_t segment_length, lc::MemoryUse use = lc::MemoryUse::kTraining);

// The largest difference of two numbers in the same place, 0 where there are none.
double difference(const at::Tensor& a, const at::Tensor& b);

}  // namespace zoo

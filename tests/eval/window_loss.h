// The loss of one token, read with nothing but the inputs before it: the slow version of what
// strict context does.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <utility>

#include "data/segment_stream.h"
#include "models/language_model.h"

// The loss of the last of a run's inputs, read from initial memory in segments of that length.
inline double last_loss(const lc::LanguageModel& model, const lc::TokenFile& text,
                        const lc::Run& run, int64_t segment_length) {
  const lc::SegmentStream stream(text, lc::LanePlan({{run}}, segment_length), 0,
                                 lc::LossPart::kAll);
  auto memory = model.initial_memory(1, lc::MemoryUse::kTraining);
  at::Tensor nll_BT;
  for (int64_t s = 0; s < stream.segments(); ++s) {
    lc::StepResult result = model.step(stream.at(s), std::move(memory), {});
    memory = result.memory.detach();
    nll_BT = result.nll_BT.detach();
  }
  return nll_BT[0][-1].item<double>();
}

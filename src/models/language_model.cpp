#include "models/language_model.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace lc {

LanguageModel::LanguageModel(ParameterSet parameters, Embedding embedding,
                             std::unique_ptr<Trunk> trunk, OutputHead head)
    : parameters_(std::move(parameters)),
      embedding_(std::move(embedding)),
      trunk_(std::move(trunk)),
      head_(std::move(head)) {}

TrunkResult LanguageModel::hidden(const Segment& segment, MemoryState memory,
                                  const StepOptions& options) const {
  LC_CHECK(memory.lanes() == segment.lanes());
  LC_CHECK(memory.use() == MemoryUse::kTraining || memory.version() == version_);
  if (std::count(segment.starts_B.begin(), segment.starts_B.end(), 1) > 0) {
    LC_CHECK(memory.open_length() == 0);
    memory = memory.replace(segment.starts_B, initial_memory(segment.lanes(), memory.use()));
  }
  const StepContext context{segment, options.training,
                            RandomKey{options.seed, segment.epoch, segment.index}, options.probe};
  return trunk_->forward(embedding_(segment.inputs_BT), std::move(memory), context);
}

StepResult LanguageModel::step(const Segment& segment, MemoryState memory,
                               const StepOptions& options) const {
  TrunkResult result = hidden(segment, std::move(memory), options);
  at::Tensor nll_BT = head_.nll(result.hidden_BTD, segment.targets_BT);
  if (std::count(segment.padded_B.begin(), segment.padded_B.end(), 1) > 0) {
    nll_BT = at::where(segment.valid_BT, nll_BT, at::zeros({}, nll_BT.options()));
  }
  return {nll_BT, std::move(result.memory), std::move(result.auxiliary)};
}

MemoryState LanguageModel::advance(const Segment& segment, MemoryState memory,
                                   const StepOptions& options) const {
  return hidden(segment, std::move(memory), options).memory;
}

LogitsResult LanguageModel::logits(const Segment& segment, MemoryState memory) const {
  TrunkResult result = hidden(segment, std::move(memory), {});
  return {head_.log_probabilities(result.hidden_BTD.select(1, segment.length() - 1)),
          std::move(result.memory)};
}

MemoryState LanguageModel::initial_memory(int64_t lanes, MemoryUse use) const {
  return trunk_->initial_memory(lanes, use, use == MemoryUse::kInference ? version_ : 0);
}

std::optional<int64_t> LanguageModel::reach(int64_t segment_length) const {
  return trunk_->reach(segment_length);
}

bool LanguageModel::has_memory() const {
  const MemoryState memory = initial_memory(1, MemoryUse::kTraining);
  for (int64_t l = 0; l < memory.layer_count(); ++l) {
    if (!memory.layer(l).queues.empty()) return true;
  }
  return false;
}

}  // namespace lc

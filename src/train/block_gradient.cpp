#include "train/block_gradient.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <optional>
#include <utility>

#include "core/error.h"

namespace lc {
namespace {

// The sum of two scalars, either of which may be undefined: nothing.
at::Tensor plus(const at::Tensor& a, const at::Tensor& b) {
  if (!a.defined()) return b;
  return b.defined() ? a + b : a;
}

void go_back_from(const at::Tensor& loss) {
  if (loss.defined() && loss.requires_grad()) loss.backward();
}

MemoryState by_graph(const LanguageModel& model, const std::vector<Segment>& block,
                     MemoryState memory, const StepOptions& options, const SegmentLoss& loss) {
  at::Tensor sum;
  for (const Segment& segment : block) {
    StepResult result = model.step(segment, std::move(memory), options);
    sum = plus(sum, loss(segment, result));
    memory = std::move(result.memory);
  }
  go_back_from(sum);
  return memory.detach();
}

// Memory before every segment, without gradient history.
std::vector<MemoryState> memory_before(const LanguageModel& model,
                                       const std::vector<Segment>& block, const MemoryState& memory,
                                       const StepOptions& options) {
  const c10::NoGradGuard no_graph;
  std::vector<MemoryState> states;
  states.push_back(memory.detach());
  for (size_t s = 0; s + 1 < block.size(); ++s) {
    states.push_back(model.advance(block[s], states.back().clone(), options));
  }
  return states;
}

// A loss whose backward pass starts from `gradients` in the memory's tensors as well as from loss.
at::Tensor with_memory_gradients(const at::Tensor& loss, const MemoryState& memory,
                                 const std::vector<at::Tensor>& gradients) {
  LC_CHECK(memory.open_length() == 0);
  at::Tensor sum = loss;
  auto gradient = gradients.begin();
  for (int64_t l = 0; l < memory.layer_count() && !gradients.empty(); ++l) {
    for (const MemoryQueue& queue : memory.layer(l).queues) {
      if (gradient->defined() && queue.slots.requires_grad()) {
        sum = plus(sum, (queue.slots * *gradient).sum());
      }
      ++gradient;
    }
  }
  LC_CHECK(gradient == gradients.end());
  return sum;
}

MemoryState by_replay(const LanguageModel& model, const std::vector<Segment>& block,
                      MemoryState memory, const StepOptions& options, const SegmentLoss& loss) {
  std::vector<MemoryState> states = memory_before(model, block, memory, options);
  std::optional<MemoryState> after;
  std::vector<at::Tensor> gradients;  // of the memory after the segment; empty: none yet
  while (!states.empty()) {
    const Segment& segment = block[states.size() - 1];
    const MemoryState before =
        states.size() == 1 ? std::move(states.back()) : states.back().as_leaves();
    states.pop_back();
    const StepResult result = model.step(segment, before.clone(), options);
    go_back_from(with_memory_gradients(loss(segment, result), result.memory, gradients));
    if (!after) after.emplace(result.memory.detach());
    gradients = before.gradients();
  }
  return std::move(*after);
}

}  // namespace

MemoryState add_block_gradients(const LanguageModel& model, const std::vector<Segment>& block,
                                MemoryState memory, const StepOptions& options,
                                const SegmentLoss& loss, BlockMode mode) {
  LC_CHECK(!block.empty());
  const auto go_back = mode == BlockMode::kGraph ? by_graph : by_replay;
  return go_back(model, block, std::move(memory), options, loss);
}

}  // namespace lc

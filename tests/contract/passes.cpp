#include "contract/passes.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "contract/zoo.h"

namespace zoo {

Pass run(const lc::LanguageModel& model, const at::Tensor& tokens_BN, int64_t length,
         int64_t segment_length, lc::MemoryUse use) {
  const c10::NoGradGuard no_gradient;
  lc::MemoryState memory = model.initial_memory(tokens_BN.size(0), use);
  std::vector<at::Tensor> parts;
  for (int64_t first = 0; first < length; first += segment_length) {
    const int64_t count = std::min(segment_length, length - first);
    auto result =
        model.step(segment(tokens_BN, first, count, first / segment_length), std::move(memory), {});
    parts.push_back(result.nll_BT);
    memory = std::move(result.memory);
  }
  return {at::cat(parts, 1), std::move(memory)};
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  return a.numel() == 0 ? 0.0 : (a - b).abs().max().item<double>();
}

}  // namespace zoo

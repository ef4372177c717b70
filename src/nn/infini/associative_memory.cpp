#include "nn/infini/associative_memory.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <limits>

namespace lc {
namespace {

constexpr double kSmallestDenominator = 1e-6;

// sigma(row) . z, [B, H, T, 1].
at::Tensor overlap(const AssociativeMemory& memory, const at::Tensor& features_BHTd) {
  return at::matmul(features_BHTd, memory.normalizer_BHd.unsqueeze(3));
}

// The share of each row that the normaliser doesn't hold yet, [B, H, T, 1].
at::Tensor new_share(const AssociativeMemory& memory, const at::Tensor& features_BHTd) {
  const c10::NoGradGuard constant;
  const at::Tensor squares =
      features_BHTd.square().sum(3, true).clamp_min(std::numeric_limits<float>::min());
  return (1 - overlap(memory, features_BHTd) / squares).clamp(0, 1);
}

}  // namespace

at::Tensor memory_features(const at::Tensor& x) { return x.clamp_max(0).exp() + x.relu(); }

at::Tensor read_memory(const AssociativeMemory& memory, const at::Tensor& features_BHTd) {
  return at::matmul(features_BHTd, memory.matrix_BHdd) /
         overlap(memory, features_BHTd).clamp_min(kSmallestDenominator);
}

AssociativeMemory write_memory(const AssociativeMemory& memory, const at::Tensor& features_BHTd,
                               const at::Tensor& values_BHTd, WriteRule rule) {
  const at::Tensor added_BHTd = rule.update == MemoryUpdate::kLinear
                                    ? values_BHTd
                                    : values_BHTd - read_memory(memory, features_BHTd);
  const at::Tensor counted_BHTd = rule.normalizer == NormalizerUpdate::kSum
                                      ? features_BHTd
                                      : features_BHTd * new_share(memory, features_BHTd);
  return {memory.matrix_BHdd + at::matmul(features_BHTd.transpose(2, 3), added_BHTd),
          memory.normalizer_BHd + counted_BHTd.sum(2)};
}

}  // namespace lc

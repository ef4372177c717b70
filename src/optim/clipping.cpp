#include "optim/clipping.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace lc {

double gradient_norm(const std::vector<at::Tensor>& gradients) {
  std::vector<at::Tensor> norms;
  for (const at::Tensor& gradient : gradients) {
    if (!gradient.defined()) continue;
    norms.push_back(at::linalg_vector_norm(gradient.detach(), 2, {}, false, at::kDouble));
  }
  if (norms.empty()) return 0;
  return at::linalg_vector_norm(at::stack(norms)).item<double>();
}

double clip_factor(double norm, std::optional<double> clip_norm) {
  return clip_norm ? std::min(1.0, *clip_norm / (norm + 1e-6)) : 1.0;
}

void scale_gradients(const std::vector<at::Tensor>& gradients, double factor) {
  if (factor == 1) return;
  for (const at::Tensor& gradient : gradients) {
    if (gradient.defined()) gradient.detach().mul_(factor);
  }
}

}  // namespace lc

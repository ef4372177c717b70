#include "nn/step_context.h"

#include <ATen/ATen.h>

#include <utility>

namespace lc {

at::Tensor StepContext::dropout(const at::Tensor& x_B, double rate, std::string_view site,
                                int64_t layer) const {
  if (!training || rate == 0) return x_B;
  return x_B * dropout_mask(key.site(site, layer), segment.lanes_B, x_B.sizes().slice(1), rate,
                            x_B.options());
}

at::Tensor StepContext::shared_dropout(const at::Tensor& x, double rate,
                                       std::string_view site) const {
  if (!training || rate == 0) return x;
  return x * dropout_mask(key.site(site, -1), {0}, x.sizes(), rate, x.options()).squeeze(0);
}

void StepContext::attended(int64_t layer, const at::Tensor& weights_BHTK, const at::Tensor& mask,
                           std::vector<KeyStretch> stretches,
                           std::vector<KeylessShare> keyless) const {
  if (probe == nullptr) return;
  for (KeylessShare& part : keyless) part.share_BH = part.share_BH.detach();
  probe->attended({layer, weights_BHTK.detach(), mask, segment.weights_BT, std::move(stretches),
                   std::move(keyless)});
}

}  // namespace lc

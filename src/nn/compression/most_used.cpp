#include "nn/compression/most_used.h"

#include <ATen/ATen.h>

#include <tuple>

namespace lc {
namespace {

class MostUsed : public Compressor {
 public:
  explicit MostUsed(int64_t rate) : rate_(rate) {}

  CompressedRows compress(const EvictedRows& evicted) const override {
    const at::Tensor by_use =
        std::get<1>(at::sort(evicted.received_nk, /*stable=*/true, /*dim=*/1, /*descending=*/true));
    const at::Tensor kept_ng =
        std::get<0>(at::sort(by_use.narrow(1, 0, slots(evicted.rows_nkD.size(1))), 1));
    const at::Tensor index = kept_ng.unsqueeze(2).expand({-1, -1, evicted.rows_nkD.size(2)});
    return {evicted.rows_nkD.gather(1, index), kept_ng};
  }
  int64_t slots(int64_t rows) const override { return rows / rate_; }
  bool uses_attention() const override { return true; }

 private:
  int64_t rate_;
};

}  // namespace

std::unique_ptr<Compressor> make_most_used(int64_t rate) {
  return std::make_unique<MostUsed>(rate);
}

at::Tensor received_attention(const at::Tensor& weights_BHTK, int64_t rows) {
  const int64_t keys = weights_BHTK.size(3);
  return weights_BHTK.detach().narrow(3, keys - rows, rows).mean(1).sum(1);
}

at::Tensor mean_received(const at::Tensor& sums_BK, int64_t length) {
  const int64_t rows = sums_BK.size(1);
  const at::Tensor age_K = at::arange(rows, 0, -1, sums_BK.options());  // rows - j
  return sums_BK / age_K.clamp_max(static_cast<double>(length));
}

}  // namespace lc

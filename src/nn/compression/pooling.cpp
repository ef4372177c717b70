#include "nn/compression/pooling.h"

#include <ATen/ATen.h>

#include "nn/compression/windows.h"

namespace lc {
namespace {

class Pooling : public Compressor {
 public:
  Pooling(Pool pool, int64_t rate) : pool_(pool), shape_{rate, rate} {}

  CompressedRows compress(const EvictedRows& evicted) const override {
    const at::Tensor rows_ngDc = windows(evicted.rows_nkD, shape_);
    return {pool_ == Pool::kMean ? rows_ngDc.mean(3) : rows_ngDc.amax(3),
            newest_of_windows(evicted.rows_nkD, shape_, 0)};
  }
  int64_t slots(int64_t rows) const override { return shape_.count(rows); }

 private:
  Pool pool_;
  WindowShape shape_;
};

}  // namespace

std::unique_ptr<Compressor> make_pooling(Pool pool, int64_t rate) {
  return std::make_unique<Pooling>(pool, rate);
}

}  // namespace lc

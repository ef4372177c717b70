#include "nn/compression/convolution.h"

#include <ATen/ATen.h>

#include <cmath>
#include <numeric>

#include "nn/compression/windows.h"

namespace lc {
namespace {

at::Tensor taps(ParameterSet& parameters, const std::string& name, int64_t width, int64_t count) {
  const double deviation = 1 / std::sqrt(static_cast<double>(width * count));
  return parameters.add(name, {width, width, count}, Initial::normal(deviation), kCompressorGroup);
}

class Convolution : public Compressor {
 public:
  Convolution(const CompressionSettings& settings, ParameterSet& parameters,
              const std::string& prefix, int64_t d_model)
      : shape_{settings.rate + settings.kernel_extra, settings.rate},
        dilations_(settings.dilation_rates),
        shortened_(std::accumulate(dilations_.begin(), dilations_.end(), int64_t{0})) {
    for (size_t i = 0; i < dilations_.size(); ++i) {
      const std::string name = prefix + "dilated." + std::to_string(i) + ".weight";
      dilated_.push_back(taps(parameters, name, d_model, 2));
    }
    weight_ = taps(parameters, prefix + "conv.weight", d_model, shape_.kernel);
  }

  CompressedRows compress(const EvictedRows& evicted) const override {
    at::Tensor rows = evicted.rows_nkD;
    for (size_t i = 0; i < dilations_.size(); ++i) {
      const int64_t left = rows.size(1) - dilations_[i];
      rows = at::relu(at::linear(rows.narrow(1, 0, left), dilated_[i].select(2, 0)) +
                      at::linear(rows.narrow(1, dilations_[i], left), dilated_[i].select(2, 1)));
    }
    return {at::linear(windows(rows, shape_).flatten(2), weight_.flatten(1)),
            newest_of_windows(rows, shape_, shortened_)};
  }
  int64_t slots(int64_t rows) const override { return shape_.count(rows - shortened_); }

 private:
  WindowShape shape_;
  std::vector<int64_t> dilations_;
  int64_t shortened_;  // rows that the dilated convolutions take away
  std::vector<at::Tensor> dilated_;
  at::Tensor weight_;
};

}  // namespace

std::unique_ptr<Compressor> make_convolution(const CompressionSettings& settings,
                                             ParameterSet& parameters, const std::string& prefix,
                                             int64_t d_model) {
  return std::make_unique<Convolution>(settings, parameters, prefix, d_model);
}

}  // namespace lc

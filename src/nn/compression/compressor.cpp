#include "nn/compression/compressor.h"

#include <functional>
#include <numeric>

#include "nn/compression/convolution.h"
#include "nn/compression/most_used.h"
#include "nn/compression/pooling.h"
#include "nn/compression/windows.h"

namespace lc {
namespace {

// What a function doesn't have stands at nothing.
CompressionSettings relevant(CompressionSettings settings) {
  const bool dilated = settings.function == Compression::kDilatedConvolution;
  if (!dilated) settings.dilation_rates.clear();
  if (!dilated && settings.function != Compression::kConvolution) settings.kernel_extra = 0;
  return settings;
}

}  // namespace

std::unique_ptr<Compressor> make_compressor(const CompressionSettings& given,
                                            ParameterSet& parameters, const std::string& prefix,
                                            int64_t d_model) {
  const CompressionSettings settings = relevant(given);
  switch (settings.function) {
    case Compression::kMean:
      return make_pooling(Pool::kMean, settings.rate);
    case Compression::kMax:
      return make_pooling(Pool::kMax, settings.rate);
    case Compression::kMostUsed:
      return make_most_used(settings.rate);
    default:
      return make_convolution(settings, parameters, prefix, d_model);
  }
}

int64_t compressed_slots(const CompressionSettings& given, int64_t rows) {
  const CompressionSettings settings = relevant(given);
  const int64_t left = std::accumulate(settings.dilation_rates.begin(),
                                       settings.dilation_rates.end(), rows, std::minus<>());
  return WindowShape{settings.rate + settings.kernel_extra, settings.rate}.count(left);
}

int64_t rows_of_one_slot(const CompressionSettings& given) {
  const CompressionSettings settings = relevant(given);
  return std::accumulate(settings.dilation_rates.begin(), settings.dilation_rates.end(),
                         settings.rate + settings.kernel_extra);
}

}  // namespace lc

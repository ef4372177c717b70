// Mean and maximum of c rows at a time; no parameters.
#pragma once

#include <cstdint>
#include <memory>

#include "nn/compression/compressor.h"

namespace lc {

enum class Pool { kMean, kMax };
std::unique_ptr<Compressor> make_pooling(Pool pool, int64_t rate);

}  // namespace lc

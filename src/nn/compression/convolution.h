// A convolution over time with stride c and no bias, after dilated convolutions where there are
// any:
//   slot_g = sum over taps t of C[:, :, t] e_{gc+t},  t = 0 .. c + extra - 1
//   for each dilation r: e_t <- relu(D[:, :, 0] e_t + D[:, :, 1] e_{t+r}), which shortens e by r.
// Parameters: "conv.weight" [out, in, tap], "dilated.{i}.weight" [out, in, 2].
#pragma once

#include <memory>
#include <string>

#include "nn/compression/compressor.h"

namespace lc {

std::unique_ptr<Compressor> make_convolution(const CompressionSettings& settings,
                                             ParameterSet& parameters, const std::string& prefix,
                                             int64_t d_model);

}  // namespace lc

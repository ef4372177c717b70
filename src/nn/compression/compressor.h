// Turns rows that memory gives up into fewer slots of compressed memory (Rae et al. 2020, section
// 3.2).
//
// Shapes: n lanes that give up the same number of rows, k rows, g slots, D = d_model, c = rate.
// Rows stand in time order, oldest first, and so do slots. Rows that don't fill a last slot, at the
// newest end, are dropped.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nn/parameters.h"

namespace lc {

enum class Compression { kMean, kMax, kConvolution, kDilatedConvolution, kMostUsed };

struct CompressionSettings {
  Compression function = Compression::kConvolution;
  int64_t rate = 1;                     // c
  int64_t kernel_extra = 0;             // of convolutions: the kernel is c + so many rows
  std::vector<int64_t> dilation_rates;  // of dilated convolutions, in order
};

struct EvictedRows {
  at::Tensor rows_nkD;
  at::Tensor received_nk;  // attention that each row got in its last segment, where it is asked for
};

struct CompressedRows {
  at::Tensor slots_ngD;
  at::Tensor newest_ng;  // int64: the newest row that each slot was made from, counted from 0
};

class Compressor {
 public:
  virtual ~Compressor() = default;
  // At least slots(k) = 1 slot comes out.
  virtual CompressedRows compress(const EvictedRows& evicted) const = 0;
  virtual int64_t slots(int64_t rows) const = 0;
  // Whether the choice depends on attention, so that EvictedRows::received_nk is needed.
  virtual bool uses_attention() const { return false; }
};

// Parameters, in group "compressor", have names that begin with prefix. Convolutions begin as
// N(0, 1/fan-in).
std::unique_ptr<Compressor> make_compressor(const CompressionSettings& settings,
                                            ParameterSet& parameters, const std::string& prefix,
                                            int64_t d_model);

// Slots that come of so many rows, without building anything.
int64_t compressed_slots(const CompressionSettings& settings, int64_t rows);
// The fewest rows that a slot comes of.
int64_t rows_of_one_slot(const CompressionSettings& settings);

constexpr const char* kCompressorGroup = "compressor";

}  // namespace lc

// The trainable tensors of a model, by name and group.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/named_tensors.h"

namespace lc {

// How a parameter starts: every value is a pure function of (seed, name, element).
struct Initial {
  double mean = 0;
  double deviation = 0;  // 0: the constant `mean`

  static Initial constant(double value) { return {value, 0}; }
  static Initial normal(double deviation) { return {0, deviation}; }
};

// What weights are made of: kind, place, seed.
struct ParameterSetup {
  at::ScalarType dtype;
  at::Device device;
  uint64_t seed;
};

struct Parameter {
  std::string name;
  std::string group;  // "main", "compressor", "gate": each may have its own rate, decay and clip
  at::Tensor value;   // a leaf that requires gradients
};

// Whether loaded weights may be of another type than the model's: float32 ones in a float64 model.
enum class LoadedType { kConverted, kSame };

class ParameterSet {
 public:
  explicit ParameterSet(ParameterSetup setup) : setup_(setup) {}

  // Makes a parameter; a name given twice is a slip. The tensor shares storage with the set's.
  at::Tensor add(std::string name, at::IntArrayRef shape, Initial initial,
                 std::string group = "main");

  const std::vector<Parameter>& all() const { return parameters_; }
  const ParameterSetup& setup() const { return setup_; }
  int64_t count() const;  // scalars
  NamedTensors named() const;
  // A missing, unknown or misshapen name, and with kSame another type of numbers, is listed in one
  // Error(kData).
  void check(const NamedTensors& tensors, const std::string& source,
             LoadedType type = LoadedType::kConverted) const;
  // Copies values in, checked so.
  void load(const NamedTensors& tensors, const std::string& source,
            LoadedType type = LoadedType::kConverted);

 private:
  ParameterSetup setup_;
  std::vector<Parameter> parameters_;
};

}  // namespace lc

// How near a number must come to the one of a golden case.
#pragma once

#include <ATen/core/Tensor.h>

#include <cmath>
#include <string>

namespace golden {

// A difference passes if it is at most `absolute`, or `of_largest` times the largest expected
// value.
struct Limit {
  double absolute = 0;
  double of_largest = 0;
};

// A float32 bound of the READMEs beside the float64 one; both are absolute.
inline double limit(at::ScalarType dtype, double float64, double float32) {
  return dtype == at::kDouble ? float64 : float32;
}

// A Catch check that names the tensor, its largest difference and what is allowed.
void check(const at::Tensor& actual, const at::Tensor& expected, Limit allowed,
           const std::string& what);
inline void check(const at::Tensor& actual, const at::Tensor& expected, double absolute,
                  const std::string& what) {
  check(actual, expected, Limit{absolute, 0}, what);
}

// Whether two numbers differ by at most `allowed`; false for NaN.
inline bool near(double actual, double expected, double allowed) {
  return std::abs(actual - expected) <= allowed;
}

}  // namespace golden

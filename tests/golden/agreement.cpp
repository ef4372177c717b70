#include "golden/agreement.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "catch.h"

namespace golden {

void check(const at::Tensor& actual, const at::Tensor& expected, Limit allowed,
           const std::string& what) {
  INFO(what);
  CHECK(actual.sizes() == expected.sizes());
  if (actual.sizes() != expected.sizes()) return;
  if (expected.numel() == 0) return;
  const at::Tensor wanted = expected.to(at::kDouble);
  const double difference =
      (actual.detach().to(at::kCPU, at::kDouble) - wanted).abs().max().item<double>();
  const double bound =
      std::max(allowed.absolute, allowed.of_largest * wanted.abs().max().item<double>());
  INFO("differs by " << difference << " where " << bound << " is allowed");
  CHECK(difference <= bound);  // NaN fails
}

}  // namespace golden

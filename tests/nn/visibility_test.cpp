// The visibility mask against its definition, entry by entry.
#include "nn/visibility.h"

#include <ATen/ATen.h>

#include <cmath>

#include "catch.h"

namespace {

// Visible keys of query i of T among K keys by the definition: 0 <= delta <= farthest, filled.
std::vector<std::vector<bool>> visible(int64_t queries, int64_t keys, int64_t farthest,
                                       int64_t slots, int64_t fill) {
  std::vector<std::vector<bool>> result;
  for (int64_t i = 0; i < queries; ++i) {
    result.emplace_back();
    for (int64_t j = 0; j < keys; ++j) {
      const int64_t delta = keys - queries + i - j;
      const bool filled = j >= slots || j >= slots - fill;
      result.back().push_back(delta >= 0 && delta <= farthest && filled);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("the mask hides exactly what the definition hides") {
  for (const int64_t slots : {0, 1, 4}) {
    for (const int64_t farthest : {0, 1, 3, 100}) {
      const std::vector<int64_t> fill_B{0, slots / 2, slots};
      const int64_t queries = 3;
      const int64_t keys = slots + queries;
      const at::Tensor mask = lc::visibility_mask(queries, keys, farthest, {slots, fill_B},
                                                  at::TensorOptions().dtype(at::kDouble));
      const at::Tensor mask_BTK =
          mask.dim() == 2 ? mask.unsqueeze(0).expand({3, queries, keys}) : mask.squeeze(1);
      for (int64_t b = 0; b < 3; ++b) {
        const auto expected =
            visible(queries, keys, farthest, slots, fill_B[static_cast<size_t>(b)]);
        for (int64_t i = 0; i < queries; ++i) {
          for (int64_t j = 0; j < keys; ++j) {
            const auto value = mask_BTK[b][i][j].item<double>();
            const bool seen = expected[static_cast<size_t>(i)][static_cast<size_t>(j)];
            CHECK(value == (seen ? 0.0 : -INFINITY));
          }
        }
      }
    }
  }
}

TEST_CASE("a query never sees nothing: the count of visible keys is the definition's") {
  // Full memory of M slots: M + 1 keys with span M, M keys with span M - 1, whatever the segment.
  for (const int64_t memory : {1, 4}) {
    for (const int64_t queries : {1, 3, 7}) {
      for (const int64_t farthest : {memory, memory - 1}) {
        const at::Tensor mask = lc::visibility_mask(queries, memory + queries, farthest, {},
                                                    at::TensorOptions().dtype(at::kDouble));
        const at::Tensor counts = mask.eq(0).sum(1);
        CHECK(counts.min().item<int64_t>() == farthest + 1);
        CHECK(counts.max().item<int64_t>() == farthest + 1);
      }
    }
  }
}

// Distance buckets of T5, one-sided.
#pragma once

#include <cstdint>

namespace lc {

// bucket(n) = n for n < e = buckets/2; buckets - 1 from max_distance on; between them logarithmic:
// min(buckets - 1, e + floor((buckets - e) ln(n/e) / ln(max_distance/e))). A distance exactly on an
// edge belongs to the upper bucket: decided in integers. Negative distances count as 0.
int64_t t5_bucket(int64_t distance, int64_t buckets, int64_t max_distance);

}  // namespace lc

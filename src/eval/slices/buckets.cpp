#include "eval/slices/buckets.h"

#include <algorithm>

#include "core/error.h"
#include "core/number_text.h"

namespace lc {

Buckets::Buckets(const std::vector<int64_t>& bounds, int64_t least) : lowest_{least} {
  for (const int64_t bound : bounds) {
    if (bound > least) lowest_.push_back(bound);
  }
  std::sort(lowest_.begin(), lowest_.end());
  lowest_.erase(std::unique(lowest_.begin(), lowest_.end()), lowest_.end());
}

int64_t Buckets::of(int64_t value) const {
  LC_CHECK(value >= lowest_.front());
  return std::upper_bound(lowest_.begin(), lowest_.end(), value) - lowest_.begin() - 1;
}

int64_t Buckets::from(int64_t bucket) const { return lowest_.at(static_cast<size_t>(bucket)); }

std::optional<int64_t> Buckets::to(int64_t bucket) const {
  if (bucket + 1 >= count()) return {};
  return from(bucket + 1) - 1;
}

std::string Buckets::name(int64_t bucket) const {
  const std::optional<int64_t> highest = to(bucket);
  if (!highest) return grouped(from(bucket)) + " or more";
  if (*highest == from(bucket)) return grouped(*highest);
  return grouped(from(bucket)) + " to " + grouped(*highest);
}

std::vector<int64_t> powers_of_two(int64_t largest) {
  std::vector<int64_t> powers = {0};
  for (int64_t power = 1; power <= largest; power *= 2) powers.push_back(power);
  return powers;
}

}  // namespace lc

// Whole numbers put into buckets: [b0, b1), [b1, b2), ... and the last without end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lc {

class Buckets {
 public:
  // bounds: lowest values of the buckets, in any order. least: the smallest number that there is;
  // it begins the first bucket, so that every number has one, and bounds below it are left out.
  Buckets(const std::vector<int64_t>& bounds, int64_t least);

  int64_t count() const { return static_cast<int64_t>(lowest_.size()); }
  int64_t of(int64_t value) const;  // index of its bucket; value is at least `least`
  int64_t from(int64_t bucket) const;
  std::optional<int64_t> to(int64_t bucket) const;  // highest value; none: no end
  std::string name(int64_t bucket) const;           // "64 to 127", "0", "10,001 or more"

 private:
  std::vector<int64_t> lowest_;
};

// 0, 1, 2, 4, ... up to the power of two that largest reaches.
std::vector<int64_t> powers_of_two(int64_t largest);

}  // namespace lc

#include "nn/footprint.h"

namespace lc {

Held Held::floating(int64_t numbers, at::ScalarType type) {
  return {numbers, 0, numbers * static_cast<int64_t>(c10::elementSize(type))};
}

Held Held::counting(int64_t counters) {
  return {0, counters, counters * static_cast<int64_t>(sizeof(int64_t))};
}

Held& Held::operator+=(const Held& other) {
  numbers += other.numbers;
  counters += other.counters;
  bytes += other.bytes;
  return *this;
}

Held operator+(Held a, const Held& b) { return a += b; }

}  // namespace lc

// Seconds since it was made: by a clock that never goes back, and of processor time.
#pragma once

#include <chrono>
#include <ctime>

namespace lc {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  // Of all threads of this program together.
  double cpu_seconds() const {
    return static_cast<double>(std::clock() - cpu_start_) / static_cast<double>(CLOCKS_PER_SEC);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t cpu_start_ = std::clock();
};

}  // namespace lc

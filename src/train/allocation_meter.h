// Counts the bytes that this thread allocates on the CPU while a meter is installed:
//
//   const auto meter = std::make_shared<AllocationMeter>();
//   const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, meter);
#pragma once

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lc {

class AllocationMeter : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, int64_t bytes, size_t, size_t, c10::Device) override {
    held_ += bytes;
    peak_ = std::max(peak_, held_);
  }
  bool memoryProfilingEnabled() const override { return true; }

  int64_t held() const { return held_; }  // of what was allocated since the meter was installed
  int64_t peak() const { return peak_; }  // the most that was held at once

 private:
  int64_t held_ = 0;
  int64_t peak_ = 0;
};

}  // namespace lc

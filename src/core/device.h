// Devices by name, as users type them.
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace lc {

// "auto" (cuda:0 if a usable GPU is there, else cpu), "cpu", "cuda", "cuda:N".
// Throws Error(kUsage) if the name is unknown, or the device is absent, saying which are there.
c10::Device parse_device(const std::string& name);

// "cpu (2 threads)" or "cuda:0": for the log.
std::string describe_device(c10::Device device);

}  // namespace lc

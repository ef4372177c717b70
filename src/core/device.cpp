#include "core/device.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>

#include <algorithm>
#include <cctype>

#include "core/error.h"

namespace lc {
namespace {

int64_t cuda_devices() { return at::hasCUDA() ? at::detail::getCUDAHooks().deviceCount() : 0; }

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  const int64_t count = cuda_devices();
  std::string there = "cpu";
  for (int64_t i = 0; i < count; ++i) there += ", cuda:" + std::to_string(i);
  throw Error(ErrorKind::kUsage, "device", "\"" + name + "\" " + why,
              "choose auto or one of those that are there: " + there);
}

}  // namespace

c10::Device parse_device(const std::string& name) {
  if (name == "cpu") return c10::Device(c10::kCPU);
  if (name == "auto") {
    return cuda_devices() > 0 ? c10::Device(c10::kCUDA, 0) : c10::Device(c10::kCPU);
  }
  const std::string prefix = "cuda:";
  int64_t index = -1;
  if (name == "cuda") index = 0;
  if (name.starts_with(prefix) && name.size() > prefix.size() && name.size() < prefix.size() + 4 &&
      std::all_of(name.begin() + prefix.size(), name.end(),
                  [](unsigned char c) { return std::isdigit(c) != 0; })) {
    index = std::stoll(name.substr(prefix.size()));
  }
  if (index < 0) refuse(name, "is no device");
  if (index >= cuda_devices()) {
    refuse(name, at::hasCUDA() ? "is not there" : "is not there: no CUDA device or a CPU build");
  }
  return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(index));
}

std::string describe_device(c10::Device device) {
  if (!device.is_cpu()) return device.str();
  return "cpu (" + std::to_string(at::get_num_threads()) + " threads)";
}

}  // namespace lc

// A device made for tests: it computes on the CPU, but refuses every operation that is handed a CPU
// tensor of one or more dimensions beside its own. So a tensor made on the wrong device is found on
// a machine without a GPU.
#pragma once

#include <c10/core/Device.h>

namespace fake {

// Registers the backend (once) and gives its device.
c10::Device device();

}  // namespace fake

// Names of numbers as people read them.
#pragma once

#include <string>

namespace lc {

// "bits_per_byte" -> "bits per byte".
std::string shown_name(std::string key);

}  // namespace lc

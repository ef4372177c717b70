#include "report/shown_name.h"

#include <algorithm>

namespace lc {

std::string shown_name(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

}  // namespace lc

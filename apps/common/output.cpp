#include "common/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "core/error.h"

namespace lc {

void print_result(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return;
  throw Error(ErrorKind::kRuntime, "stdout",
              std::string("can't be written: ") + std::strerror(errno), "check where it goes");
}

}  // namespace lc

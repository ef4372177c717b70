#include "lcgen_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/error.h"

namespace lc {

void write_out(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return;
  throw Error(ErrorKind::kRuntime, "stdout", std::string("can't be written: ") + strerror(errno),
              "check where it goes");
}

void TextOutput::add(std::string_view bytes) { pass_on(stream_.add(bytes)); }

void TextOutput::end() {
  pass_on(stream_.end());
  if (last_ != '\n' && isatty(STDOUT_FILENO) != 0) write_out("\n");
}

void TextOutput::pass_on(const std::string& text) {
  if (text.empty()) return;
  write_out(text);
  last_ = text.back();
}

}  // namespace lc

#include "lcgen/output.h"

#include <unistd.h>

#include "common/output.h"

namespace lc {

void TextOutput::add(std::string_view bytes) { pass_on(stream_.add(bytes)); }

void TextOutput::end() {
  pass_on(stream_.end());
  if (last_ != '\n' && isatty(STDOUT_FILENO) != 0) print_result("\n");
}

void TextOutput::pass_on(const std::string& text) {
  if (text.empty()) return;
  print_result(text);
  last_ = text.back();
}

}  // namespace lc

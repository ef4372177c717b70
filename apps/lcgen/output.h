// What lcgen writes to stdout: the text as it is made, in whole characters.
#pragma once

#include <string>
#include <string_view>

#include "core/utf8_stream.h"

namespace lc {

class TextOutput {
 public:
  void add(std::string_view bytes);
  void end();  // and a line end, on a terminal

 private:
  void pass_on(const std::string& text);

  Utf8Stream stream_;
  char last_ = '\n';
};

}  // namespace lc

// Bytes, characters (Unicode code points), words and line ends of a text given in pieces.
#pragma once

#include <cstdint>
#include <string_view>

#include "data/tokenizers/white_space.h"

namespace lc {

struct TextCounts {
  int64_t bytes = 0;
  int64_t characters = 0;  // bytes that aren't continuation bytes of UTF-8
  int64_t words = 0;       // runs of anything but Unicode white space
  int64_t line_ends = 0;   // "\n", and the end of an unfinished last line

  TextCounts& operator+=(const TextCounts& other);
};

enum class TextEnd {
  kWhole,   // the text ends here
  kGoesOn,  // another counter goes on behind this white space; counts of both add up
};

class TextCounter {
 public:
  void add(std::string_view piece);
  TextCounts end(TextEnd how = TextEnd::kWhole);  // of the text so far; the counter begins anew

 private:
  TextCounts counts_;
  WordScanner words_;
  bool line_open_ = false;
};

}  // namespace lc

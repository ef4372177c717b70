// Reads parts of input files as checked text: newlines made LF where asked, binary content and text
// that isn't UTF-8 found with their place.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpora/input_file.h"

namespace lc {

// A stretch of a file; offsets count the bytes after newlines were made LF.
struct InputPart {
  InputFile file;
  int64_t first = 0;
  int64_t bytes = -1;  // -1: to the end
};

struct TextRules {
  bool newlines_to_lf = false;
  bool any_bytes = false;  // NUL and other control characters are allowed
  bool utf8 = true;        // anything else is an error
};

// What was seen while reading.
struct TextFindings {
  bool cr_lf = false;
  bool utf8 = true;  // so far all of it was UTF-8
};

// Calls on_text for the text of the part, piece by piece (never an empty one). Error(kData) names
// file, byte and line of what breaks the rules.
void read_part(const InputPart& part, const TextRules& rules, TextFindings& findings,
               const std::function<void(std::string_view)>& on_text);

// What identifies a file's content, and how long its text is.
struct InputDigest {
  std::string sha256;   // of the unpacked bytes
  int64_t bytes = 0;    // after newlines were made LF, where asked
  int64_t symbols = 0;  // different unpacked bytes, where asked
};
enum class SymbolCount { kIgnored, kWanted };
InputDigest digest_input(const InputFile& file, const TextRules& rules, SymbolCount count);

}  // namespace lc

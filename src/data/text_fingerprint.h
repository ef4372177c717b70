// Tells whether two prepared texts are the same.
#pragma once

#include <string>

#include "data/token_file.h"

namespace lc {

// SHA-256, hex, of tokenizer, length and tokens: all of them up to a million, of longer texts 4,096
// stretches of 256, evenly spaced, so that it takes no time on any text.
std::string text_fingerprint(const TokenFile& tokens);

}  // namespace lc

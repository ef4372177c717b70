// Where lcgen's prompt comes from.
#pragma once

#include "generate/prompt.h"
#include "lcgen/flags.h"

namespace lc {

// Of the flag, the file or stdin, byte by byte as it is there. Nothing given is an empty prompt.
// Error(kData): a file that can't be read, or one that was named and is empty.
Prompt read_prompt(const GenFlags& flags);

}  // namespace lc

// lceval slices: losses by frequency of words, place in the word, recurrence, position, document.
#pragma once

#include "lceval/verb.h"

namespace lc {

EvalVerb slices_verb();

}  // namespace lc

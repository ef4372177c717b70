// lceval compare: the paired difference of two runs.
#pragma once

#include "lceval/verb.h"

namespace lc {

EvalVerb compare_verb();

}  // namespace lc

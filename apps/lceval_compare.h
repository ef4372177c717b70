// lceval compare: the paired difference of two runs.
#pragma once

#include "lceval_verb.h"

namespace lc {

EvalVerb compare_verb();

}  // namespace lc

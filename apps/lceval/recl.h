// lceval recl: relative effective context length of groups of runs.
#pragma once

#include "lceval/verb.h"

namespace lc {

EvalVerb recl_verb();

}  // namespace lc

// lceval --memory-footprint: what runs hold in memory.
#pragma once

#include "lceval/verb.h"

namespace lc {

EvalVerb footprint_verb();

}  // namespace lc

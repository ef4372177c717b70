// lceval --memory-footprint: what runs hold in memory.
#pragma once

#include "lceval_verb.h"

namespace lc {

EvalVerb footprint_verb();

}  // namespace lc

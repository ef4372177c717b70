// lceval speed: what evaluation with memory costs against a sliding window, for one run.
#pragma once

#include "lceval/verb.h"

namespace lc {

EvalVerb speed_verb();

}  // namespace lc

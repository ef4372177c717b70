// lceval report: runs as one HTML page.
#pragma once

#include "lceval/verb.h"

namespace lc {

EvalVerb report_verb();

}  // namespace lc

// lceval report: runs as one HTML page.
#pragma once

#include "lceval_verb.h"

namespace lc {

EvalVerb report_verb();

}  // namespace lc

// lceval passkey: the retrieval of a hidden number by one run.
#pragma once

#include "lceval/verb.h"

namespace lc {

EvalVerb passkey_verb();

}  // namespace lc

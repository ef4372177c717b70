// lceval attention: where runs look, by kind and age of the keys.
#pragma once

#include "lceval/verb.h"

namespace lc {

EvalVerb attention_verb();

}  // namespace lc

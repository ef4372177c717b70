#include "lceval_compare.h"
#include "lceval_footprint.h"
#include "lceval_passkey.h"
#include "lceval_slices.h"
#include "lceval_verb.h"

namespace lc {

std::vector<EvalVerb> eval_verbs() {
  return {compare_verb(), slices_verb(), passkey_verb(), footprint_verb()};
}

}  // namespace lc

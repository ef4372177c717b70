#include "lceval/attention.h"
#include "lceval/compare.h"
#include "lceval/footprint.h"
#include "lceval/passkey.h"
#include "lceval/recl.h"
#include "lceval/report.h"
#include "lceval/slices.h"
#include "lceval/speed.h"
#include "lceval/verb.h"

namespace lc {

std::vector<EvalVerb> eval_verbs() {
  return {compare_verb(),   passkey_verb(), slices_verb(), recl_verb(),
          attention_verb(), speed_verb(),   report_verb(), footprint_verb()};
}

}  // namespace lc

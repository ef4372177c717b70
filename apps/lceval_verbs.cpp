#include "lceval_attention.h"
#include "lceval_compare.h"
#include "lceval_footprint.h"
#include "lceval_passkey.h"
#include "lceval_recl.h"
#include "lceval_report.h"
#include "lceval_slices.h"
#include "lceval_speed.h"
#include "lceval_verb.h"

namespace lc {

std::vector<EvalVerb> eval_verbs() {
  return {compare_verb(),   passkey_verb(), slices_verb(), recl_verb(),
          attention_verb(), speed_verb(),   report_verb(), footprint_verb()};
}

}  // namespace lc

// Short training runs of golden cases, through the product's optimizer and schedule.
#pragma once

#include "golden/golden_case.h"
#include "golden/golden_model.h"

namespace golden {

// Repeats the updates of a case of kind "training" and compares each step and the final weights.
void check_training_trace(const Case& golden, lc::LanguageModel& model, at::ScalarType dtype,
                          const NameMap& names);

}  // namespace golden

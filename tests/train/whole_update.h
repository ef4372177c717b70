// What one update gives, by the trainer's code and by definition, for the tests that compare ways
// to compute it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/auxiliary_loss.h"
#include "models/language_model.h"
#include "train/gradient.h"
#include "train/update.h"

namespace small {

// Blocks of three, two and one segments of eight inputs, over eight lanes that begin anew, are
// padded and count differently: a division per chunk, segment or block would show, and lanes give
// up memory at different times.
lc::Update ragged_update();

struct UpdateOutcome {
  double nats = 0;
  at::Tensor gradients;  // of all parameters, float64
  at::Tensor memory;     // what is filled after the update, float64
  std::vector<lc::AuxiliarySum> auxiliary;
};

// Of ragged_update() from initial memory; the model's gradients are cleared.
UpdateOutcome outcome(const lc::LanguageModel& model, const lc::GradientOptions& options);

// The definition, written down: the sum of weight * nll over the sum of weights, plus for each
// layer auxiliary_weight times the mean of its auxiliary loss; memory detached between blocks.
struct Definition {
  uint64_t seed = 0;
  double auxiliary_weight = 0;
};
UpdateOutcome by_definition(const lc::LanguageModel& model, const Definition& definition);

// Relative to the norm of what is expected.
void check_same(const UpdateOutcome& found, const UpdateOutcome& expected, double tolerance);

}  // namespace small

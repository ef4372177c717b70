// The auxiliary losses of one update: what each segment adds to the loss, divided by the count of
// the whole update, and their sums for the log.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/auxiliary_loss.h"
#include "models/language_model.h"
#include "train/update.h"

namespace lc {

class AuxiliaryTerms {
 public:
  // memory: of all lanes, from before the update.
  AuxiliaryTerms(const LanguageModel& model, const MemoryState& memory, const Update& update);

  // Takes a segment's losses in and gives loss + what they add to it; either may be nothing.
  at::Tensor add_to(at::Tensor loss, const std::vector<AuxiliaryLoss>& losses);
  // Once all segments were taken in: what was promised must have come.
  std::vector<AuxiliarySum> sums() const;

 private:
  struct Entry {
    AuxiliaryShare share;
    at::Tensor sum;  // float64, without history; undefined while nothing came
    int64_t count = 0;
  };
  std::vector<Entry> entries_;
};

// Adds sums of later updates to those of a window.
void accumulate(std::vector<AuxiliarySum>& window, const std::vector<AuxiliarySum>& more);

}  // namespace lc

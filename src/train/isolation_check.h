// Whether auxiliary losses and the next-token loss keep to parameters of their own.
#pragma once

#include <cstdint>

#include "data/segment_stream.h"
#include "models/language_model.h"

namespace lc {

struct IsolationReport {
  int64_t by_text = 0;       // parameters that the next-token loss reaches
  int64_t by_auxiliary = 0;  // parameters that auxiliary losses reach; 0: none has a value
  int64_t segments = 0;      // that were read
  bool unmet = false;        // the model has auxiliary losses, but none had a value in them
};

// Reads the first lane of an epoch in training, one graph from its beginning until a segment after
// the first auxiliary loss, at most 64 segments. Error(kRuntime) that names a parameter which both
// kinds of losses reach. Gradients are cleared.
IsolationReport check_isolation(const LanguageModel& model, const SegmentStream& epoch,
                                uint64_t seed);

}  // namespace lc

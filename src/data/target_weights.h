// How much each target of a text counts in the training loss: a pure function of its document and
// its place there, so that nothing of it is stored with the tokens. Evaluation doesn't ask for it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "config/config.h"
#include "data/token_file.h"

namespace lc {

// The last `answer` tokens of a document have weight 1, those before them weight `text`.
struct TargetWeights {
  int64_t answer = 0;
  float text = 1;
};

// As section data's corpus has it: its rule, or weight 1 for every target.
TargetWeights target_weights(const Config& config);

// Fills in the weights of the targets from token index `first` on.
void weigh_targets(const TargetWeights& rule, const std::vector<DocumentInfo>& documents,
                   int64_t first, std::span<float> weights);

}  // namespace lc

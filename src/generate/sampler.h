// Which token comes next: a draw from a model's log probabilities, [V].
//
// The temperature first; of that the k most probable tokens; of those, renormalised, the fewest
// that together hold at least the share top_p (Holtzman et al. 2020). Of equal probabilities the
// lower id counts as the larger one. A draw is a pure function of seed, position and probabilities.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lc {

struct SamplingSettings {
  double temperature = 1;  // at least 0; 0: always the most probable token
  int64_t top_k = 0;       // 0: all tokens
  double top_p = 1;        // in (0, 1]
  uint64_t seed = 1;
};

// Error(kUsage) that names the flag, for a value out of range.
void check_sampling(const SamplingSettings& settings);

struct Candidate {
  int64_t id;
  double probability;
};

// The tokens that may be drawn, by ascending id; their probabilities sum to 1. Error(kRuntime) if
// the log probabilities are not numbers, as after a training that diverged.
std::vector<Candidate> candidates(const at::Tensor& log_probabilities_V,
                                  const SamplingSettings& settings);

// The token that the share `at`, in [0, 1), of the summed probabilities falls on.
int64_t pick(const std::vector<Candidate>& candidates, double at);

// position: of the token in the text, prompt included, so that a text which is continued later goes
// on as it would have.
int64_t sample(const at::Tensor& log_probabilities_V, const SamplingSettings& settings,
               int64_t position);

}  // namespace lc

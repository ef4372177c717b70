// Relative effective context length: how far back a context still helps a model, measured within a
// group of models (Dai et al. 2019, section 4.3 and appendix C).
//
// l_i(c, t) is the loss of model i on target t with the c tokens before it. With the group's best
// b(c, t) = min over i of l_i(c, t), and T(c) the share r of targets where b(c, t) is largest, the
// longer context c' is worth to model i, in perplexity,
//   f_i(c, c') = mean over T(c) of min(b(c, t), l_i(c', t))
//   g_i(c, c') = (exp f_i(c, c) - exp f_i(c, c')) / exp f_i(c, c)
// From the shortest context on, c grows by the step to c' while g_i(c, c') is at least 1 %; the c
// at which it stays is the length. Hard targets only, and against the group's best: so a model
// can't look far-sighted by being bad at short contexts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lc {

inline constexpr double kSmallestGain = 0.01;

// The losses of one model: nll[c][t] at the c-th context on the t-th target.
struct ContextLosses {
  std::string run;
  int64_t parameters = 0;
  std::vector<std::vector<double>> nll;
};

// What going from one context to the next is worth.
struct ContextGain {
  int64_t context;
  int64_t longer;
  double gain;  // relative, of perplexity
};

struct EffectiveContext {
  double share = 1;                // r
  int64_t targets = 0;             // in T
  int64_t tokens = 0;              // the length
  bool at_least = false;           // the longest context measured still helped
  std::vector<ContextGain> gains;  // of every step, beyond the length too
};

struct RunEffectiveContext {
  std::string run;
  int64_t parameters = 0;
  std::vector<EffectiveContext> by_share;
};

// contexts: ascending, at least one. Every model of the group has losses at all of them, on the
// same targets, at least one. shares: in (0, 1]. Of targets with equal losses the earlier is taken.
std::vector<RunEffectiveContext> effective_contexts(const std::vector<int64_t>& contexts,
                                                    const std::vector<ContextLosses>& group,
                                                    const std::vector<double>& shares);

}  // namespace lc

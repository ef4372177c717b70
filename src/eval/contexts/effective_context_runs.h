// Relative effective context length of trained runs, from the flags of `lceval recl` to its result.
//
// A context of c here is the paper's: the c tokens before the target. That is context c - 1 of a
// sweep over context lengths, which counts inputs before a target's own. strict: each target alone,
// memory emptied, c tokens fed. span: one pass with each layer's attention limited to c tokens, so
// that several layers reach further than c; models with an attention span only.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "eval/contexts/context_sweep.h"
#include "eval/contexts/effective_context.h"

namespace lc {

struct EffectiveContextRequest {
  int64_t first = 0;  // shortest context; 0: the step
  int64_t step = 100;
  int64_t longest = 1000;
  std::vector<double> shares = {0.1, 0.5, 1};
  ContextMode mode = ContextMode::kStrict;
  // Of strict windows. 1: exactly c tokens; more: c + 1 - stride to c, and so much cheaper.
  int64_t stride = 1;

  // first, first + step, ... up to longest. Error(kUsage) with fewer than two lengths or more than
  // can be measured, or shares outside of (0, 1].
  std::vector<int64_t> contexts() const;
};

// Runs of similar size, by the names that are shown.
struct RunGroup {
  std::string name;
  std::vector<std::string> runs;
};
// Each "NAME=RUN,RUN,..."; none: one group "all". Error(kUsage) for what reads otherwise, a name
// that no run has, a name given twice, and a run that is in no group.
std::vector<RunGroup> parse_groups(const std::vector<std::string>& texts,
                                   const std::vector<std::string>& runs);

// One run's losses at all contexts. Error(kData) if one isn't finite; what context_sweep throws.
struct MeasuredContexts {
  ContextLosses losses;
  std::vector<int64_t> targets;
  nlohmann::json protocol;
};
MeasuredContexts measure_contexts(const ModelSource& source, const TokenFile& tokens,
                                  const EvaluationSettings& settings,
                                  const EffectiveContextRequest& request);

struct GroupEffectiveContext {
  std::string name;
  std::vector<RunEffectiveContext> runs;
};

struct EffectiveContextReport {
  std::vector<int64_t> contexts;
  std::vector<GroupEffectiveContext> groups;
  nlohmann::json protocol;

  // {groups: [{name, runs: [{name, parameters, lengths: [{share, effective_context, at_least,
  // targets, gains: [{context, longer, gain}]}]}]}], protocol}
  nlohmann::json to_json() const;
};

// All runs measured with this request on the same text, named as in the groups.
EffectiveContextReport effective_context_report(const EffectiveContextRequest& request,
                                                const std::vector<RunGroup>& groups,
                                                const std::vector<MeasuredContexts>& runs);

}  // namespace lc

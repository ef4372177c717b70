#include "eval/contexts/effective_context.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"

namespace lc {
namespace {

using Losses = std::vector<double>;  // by target

// b(c, t) for one c.
Losses best_of_group(const std::vector<ContextLosses>& group, size_t context) {
  Losses best = group.front().nll[context];
  for (const ContextLosses& model : group) {
    LC_CHECK(model.nll[context].size() == best.size());
    for (size_t t = 0; t < best.size(); ++t) best[t] = std::min(best[t], model.nll[context][t]);
  }
  return best;
}

// All targets, the largest loss first.
std::vector<size_t> hardest_first(const Losses& losses) {
  std::vector<size_t> order(losses.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return losses[a] > losses[b]; });
  return order;
}

size_t count_of(double share, size_t targets) {
  LC_CHECK(share > 0 && share <= 1);
  const auto count = static_cast<size_t>(std::llround(share * static_cast<double>(targets)));
  return std::max<size_t>(count, 1);
}

// One step's targets: the group's best losses, and the order to take them in.
struct HardTargets {
  Losses best;
  std::vector<size_t> order;
};

// g_i over the first `count` of the targets, for the losses of model i at the longer context.
double gain_of(const HardTargets& targets, const Losses& longer, size_t count) {
  double saved = 0;  // f_i(c, c) - f_i(c, c'), which is what counts after exp
  for (size_t k = 0; k < count; ++k) {
    const size_t t = targets.order[k];
    saved += targets.best[t] - std::min(targets.best[t], longer[t]);
  }
  return -std::expm1(-saved / static_cast<double>(count));
}

EffectiveContext length_of(const std::vector<int64_t>& contexts, const ContextLosses& model,
                           const std::vector<HardTargets>& steps, double share) {
  EffectiveContext result;
  result.share = share;
  const size_t count = count_of(share, model.nll.front().size());
  result.targets = static_cast<int64_t>(count);
  result.tokens = contexts.front();
  bool helps = true;
  for (size_t c = 0; c + 1 < contexts.size(); ++c) {
    const double gain = gain_of(steps[c], model.nll[c + 1], count);
    result.gains.push_back({contexts[c], contexts[c + 1], gain});
    helps = helps && gain >= kSmallestGain;
    if (helps) result.tokens = contexts[c + 1];
  }
  result.at_least = helps;
  return result;
}

}  // namespace

std::vector<RunEffectiveContext> effective_contexts(const std::vector<int64_t>& contexts,
                                                    const std::vector<ContextLosses>& group,
                                                    const std::vector<double>& shares) {
  LC_CHECK(!contexts.empty() && !group.empty());
  for (const ContextLosses& model : group) LC_CHECK(model.nll.size() == contexts.size());
  LC_CHECK(!group.front().nll.front().empty());
  std::vector<HardTargets> steps;
  for (size_t c = 0; c + 1 < contexts.size(); ++c) {
    Losses best = best_of_group(group, c);
    std::vector<size_t> order = hardest_first(best);
    steps.push_back({std::move(best), std::move(order)});
  }
  std::vector<RunEffectiveContext> results;
  for (const ContextLosses& model : group) {
    RunEffectiveContext result{model.run, model.parameters, {}};
    for (const double share : shares) {
      result.by_share.push_back(length_of(contexts, model, steps, share));
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace lc

#include "train/isolation_check.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace lc {
namespace {

constexpr int64_t kMostCheckedSegments = 64;

// The sums of both kinds of losses; undefined where there is none.
struct Losses {
  at::Tensor text;
  at::Tensor auxiliary;
  int64_t segments = 0;   // that were read
  bool declared = false;  // auxiliary ones, with or without a value
};

Losses losses_of(const LanguageModel& model, const SegmentStream& epoch, uint64_t seed) {
  Losses losses;
  const auto add = [](at::Tensor& sum, const at::Tensor& more) {
    sum = sum.defined() ? sum + more : more;
  };
  MemoryState memory = model.initial_memory(1, MemoryUse::kTraining);
  const int64_t most = std::min(epoch.segments(), kMostCheckedSegments);
  bool last = false;
  for (int64_t i = 0; i < most && !last; ++i) {
    last = losses.auxiliary.defined();
    const Segment segment = epoch.at(i).rows(0, 1).to(model.device());
    losses.declared = !model.auxiliary_shares(memory, {&segment}).empty();
    StepResult result = model.step(segment, std::move(memory), {.training = true, .seed = seed});
    memory = std::move(result.memory);
    add(losses.text, result.nll_BT.sum());
    for (const AuxiliaryLoss& one : result.auxiliary) add(losses.auxiliary, one.sum);
    losses.segments = i + 1;
  }
  return losses;
}

// Whether each parameter has a gradient; they are cleared.
std::vector<char> take_reached(const LanguageModel& model) {
  std::vector<char> reached;
  for (const Parameter& parameter : model.parameters().all()) {
    const at::Tensor& gradient = parameter.value.grad();
    reached.push_back(gradient.defined() && gradient.count_nonzero().item<int64_t>() > 0);
    parameter.value.mutable_grad().reset();
  }
  return reached;
}

}  // namespace

IsolationReport check_isolation(const LanguageModel& model, const SegmentStream& epoch,
                                uint64_t seed) {
  const Losses losses = losses_of(model, epoch, seed);
  losses.text.backward({}, /*keep_graph=*/true);
  const std::vector<char> by_text = take_reached(model);
  IsolationReport report;
  report.by_text = std::count(by_text.begin(), by_text.end(), 1);
  report.segments = losses.segments;
  report.unmet = losses.declared && !losses.auxiliary.defined();
  if (!losses.auxiliary.defined() || !losses.auxiliary.requires_grad()) return report;
  losses.auxiliary.backward();
  const std::vector<char> by_auxiliary = take_reached(model);
  report.by_auxiliary = std::count(by_auxiliary.begin(), by_auxiliary.end(), 1);
  for (size_t i = 0; i < by_text.size(); ++i) {
    if (!by_text[i] || !by_auxiliary[i]) continue;
    throw Error(
        ErrorKind::kRuntime, "train.check_isolation",
        "the next-token loss and an auxiliary loss both reach " + model.parameters().all()[i].name,
        "this model mixes its losses: train another, or leave the check out");
  }
  return report;
}

}  // namespace lc

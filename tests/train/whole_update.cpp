#include "train/whole_update.h"

#include <ATen/ATen.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "catch.h"
#include "train/small_model.h"

namespace small {
namespace {

constexpr int64_t kLanes = 8;

at::Tensor filled(const lc::MemoryState& memory) {
  std::vector<at::Tensor> parts{at::zeros({0}, at::kDouble)};
  for (int64_t l = 0; l < memory.layer_count(); ++l) {
    for (const lc::MemoryQueue& queue : memory.layer(l).queues) {
      if (!queue.counted()) parts.push_back(queue.slots.flatten().to(at::kDouble));
      for (size_t b = 0; b < queue.fill_B.size(); ++b) {
        const at::Tensor row = queue.slots[static_cast<int64_t>(b)];
        const int64_t fill = queue.fill_B[b];
        parts.push_back(row.narrow(0, row.size(0) - fill, fill).flatten().to(at::kDouble));
      }
    }
  }
  return at::cat(parts);
}

bool near(const at::Tensor& found, const at::Tensor& expected, double tolerance) {
  if (found.sizes() != expected.sizes()) return false;
  return (found - expected).norm().item<double>() <= tolerance * expected.norm().item<double>();
}

}  // namespace

lc::Update ragged_update() {
  const at::Tensor tokens_BN = tokens(kLanes, 49);
  lc::Update update;
  for (int64_t index = 0; index < 6; ++index) {
    lc::Segment one = segment(tokens_BN, 8, index);
    one.weights_BT.select(0, index).narrow(0, 0, 3).zero_();
    if (index == 2) one.starts_B[3] = 1;
    if (index == 3) pad(one, 1, 2);
    if (index == 4) one.starts_B[1] = one.starts_B[5] = 1;
    if (index == 5) pad(one, 6, 1);
    if (index == 0 || index == 3 || index == 5) update.blocks.emplace_back();
    update.weight += one.weights_BT.sum(at::kDouble).item<double>();
    update.tokens += one.valid_BT.sum().item<int64_t>();
    update.blocks.back().push_back(std::move(one));
  }
  return update;
}

UpdateOutcome outcome(const lc::LanguageModel& model, const lc::GradientOptions& options) {
  auto result = lc::add_gradients(
      model, ragged_update(), model.initial_memory(kLanes, lc::MemoryUse::kTraining).detach(),
      options);
  return {result.nats, take_gradients(model), filled(result.memory), std::move(result.auxiliary)};
}

UpdateOutcome by_definition(const lc::LanguageModel& model, const Definition& definition) {
  struct Sum {
    at::Tensor sum = at::zeros({}, at::kDouble);
    int64_t count = 0;
  };
  std::map<std::pair<std::string, int64_t>, Sum> auxiliary;
  at::Tensor nats = at::zeros({}, at::kDouble);
  double weight = 0;
  lc::MemoryState memory = model.initial_memory(kLanes, lc::MemoryUse::kTraining).detach();
  for (const auto& block : ragged_update().blocks) {
    memory = memory.detach();
    for (const lc::Segment& one : block) {
      auto result =
          model.step(one, std::move(memory), {.training = true, .seed = definition.seed});
      memory = std::move(result.memory);
      nats = nats + (result.nll_BT * one.weights_BT).sum();
      weight += one.weights_BT.sum().item<double>();
      for (const lc::AuxiliaryLoss& loss : result.auxiliary) {
        Sum& total = auxiliary[{loss.name, loss.layer}];
        total.sum = total.sum + loss.sum;
        total.count += loss.count;
      }
    }
  }
  at::Tensor loss = nats / weight;
  UpdateOutcome made{nats.item<double>(), {}, filled(memory.detach()), {}};
  for (const auto& [key, total] : auxiliary) {
    loss = loss + definition.auxiliary_weight * total.sum / total.count;
    made.auxiliary.push_back({key.first, key.second, total.sum.item<double>(), total.count});
  }
  loss.backward();
  made.gradients = take_gradients(model);
  return made;
}

void check_same(const UpdateOutcome& found, const UpdateOutcome& expected, double tolerance) {
  CHECK(std::abs(found.nats - expected.nats) <= tolerance * expected.nats);
  CHECK(near(found.gradients, expected.gradients, tolerance));
  CHECK(near(found.memory, expected.memory, tolerance));
  CHECK(expected.gradients.norm().item<double>() > 1e-3);
  REQUIRE(found.auxiliary.size() == expected.auxiliary.size());
  for (size_t i = 0; i < found.auxiliary.size(); ++i) {
    const lc::AuxiliarySum& sum = expected.auxiliary[i];
    CHECK(found.auxiliary[i].name == sum.name);
    CHECK(found.auxiliary[i].layer == sum.layer);
    CHECK(found.auxiliary[i].count == sum.count);
    CHECK(std::abs(found.auxiliary[i].sum - sum.sum) <= tolerance * std::abs(sum.sum));
  }
}

}  // namespace small

// Auxiliary losses in an update: divided once by counts that were known before.
#include "train/auxiliary_terms.h"

#include <ATen/ATen.h>

#include <cmath>

#include "catch.h"
#include "train/gradient.h"
#include "train/small_model.h"

namespace {

constexpr double kWeight = 0.7;

std::unique_ptr<lc::LanguageModel> compressive(at::ScalarType dtype) {
  return small::model_of(dtype, R"({"type": "compressive", "layers": 2, "d_model": 12, "heads": 2,
      "d_inner": 16, "init_std": 0.3, "dropout": 0.2, "attention_dropout": 0.1, "compressive":
      {"memory_length": 6, "compressed_length": 3, "rate": 2, "aux_weight": 0.7}})");
}

// Three blocks of two segments over 8 lanes that begin anew, are padded and count differently, so
// that lanes give up rows at different times.
lc::Update ragged_update() {
  const at::Tensor tokens_BN = small::tokens(8, 25);
  lc::Update update;
  for (int64_t index = 0; index < 6; ++index) {
    lc::Segment segment = small::segment(tokens_BN, 4, index);
    segment.weights_BT.select(0, index).narrow(0, 0, 3).zero_();
    if (index == 2) segment.starts_B[3] = 1;
    if (index == 3) small::pad(segment, 1, 2);
    if (index == 4) segment.starts_B[1] = segment.starts_B[5] = 1;
    if (index % 2 == 0) update.blocks.emplace_back();
    update.weight += segment.weights_BT.sum(at::kDouble).item<double>();
    update.blocks.back().push_back(std::move(segment));
  }
  return update;
}

struct Outcome {
  lc::GradientResult result;
  at::Tensor gradients;
};

Outcome outcome(at::ScalarType dtype, int64_t chunks) {
  const auto model = compressive(dtype);
  auto result = lc::add_gradients(*model, ragged_update(),
                                  model->initial_memory(8, lc::MemoryUse::kTraining).detach(),
                                  {.seed = 5, .chunks = chunks});
  return {std::move(result), small::take_gradients(*model)};
}

}  // namespace

TEST_CASE("an update's auxiliary losses are means over all its lanes and segments", "[train]") {
  const auto model = compressive(at::kDouble);
  const lc::Update update = ragged_update();
  lc::MemoryState memory = model->initial_memory(8, lc::MemoryUse::kTraining).detach();
  at::Tensor nats = at::zeros({}, at::kDouble);
  std::vector<at::Tensor> sums(2, at::zeros({}, at::kDouble));
  std::vector<int64_t> counts(2, 0);
  for (const auto& block : update.blocks) {
    memory = memory.detach();
    for (const lc::Segment& segment : block) {
      auto result = model->step(segment, std::move(memory), {.training = true, .seed = 5});
      memory = std::move(result.memory);
      nats = nats + (result.nll_BT * segment.weights_BT).sum();
      for (const lc::AuxiliaryLoss& loss : result.auxiliary) {
        sums[static_cast<size_t>(loss.layer)] = sums[static_cast<size_t>(loss.layer)] + loss.sum;
        counts[static_cast<size_t>(loss.layer)] += loss.count;
      }
    }
  }
  at::Tensor loss = nats / update.weight;
  for (size_t l = 0; l < 2; ++l) loss = loss + kWeight * sums[l] / counts[l];
  loss.backward();
  const at::Tensor expected = small::take_gradients(*model);

  const Outcome found = outcome(at::kDouble, 1);
  CHECK(small::relative_difference(found.gradients, expected) < 1e-12);
  REQUIRE(found.result.auxiliary.size() == 2);
  for (size_t l = 0; l < 2; ++l) {
    CHECK(found.result.auxiliary[l].count == counts[l]);
    CHECK(found.result.auxiliary[l].sum == Approx(sums[l].item<double>()).epsilon(1e-13));
    CHECK(counts[l] > 8);
  }
}

TEST_CASE("any number of chunks gives the same auxiliary losses and gradients", "[train]") {
  for (const auto& [dtype, tolerance] :
       {std::pair{at::kFloat, 1e-5}, std::pair{at::kDouble, 1e-12}}) {
    const Outcome whole = outcome(dtype, 1);
    for (const int64_t chunks : {2, 3, 8}) {
      CAPTURE(chunks, tolerance);
      const Outcome parts = outcome(dtype, chunks);
      CHECK(small::relative_difference(parts.gradients, whole.gradients) < tolerance);
      for (size_t l = 0; l < 2; ++l) {
        const lc::AuxiliarySum& sum = whole.result.auxiliary[l];
        CHECK(parts.result.auxiliary[l].count == sum.count);
        CHECK(std::abs(parts.result.auxiliary[l].sum - sum.sum) < tolerance * sum.sum);
      }
    }
  }
}

TEST_CASE("sums of a window add up by name and layer", "[train]") {
  std::vector<lc::AuxiliarySum> window;
  lc::accumulate(window, {{"a", 0, 1.0, 2}, {"a", 1, 3.0, 4}});
  lc::accumulate(window, {{"a", 1, 0.5, 1}, {"b", 1, 7.0, 1}});
  REQUIRE(window.size() == 3);
  CHECK(window[0].sum == 1.0);
  CHECK(window[1].sum == 3.5);
  CHECK(window[1].count == 5);
  CHECK(window[2].name == "b");
}

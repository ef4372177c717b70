#include "train/gradient.h"

#include <ATen/ATen.h>

#include <cmath>

#include "catch.h"
#include "train/small_model.h"

namespace {

const char* const kDropout = R"("dropout": 0.3, "attention_dropout": 0.25)";

// Two blocks of two segments over 8 lanes; lanes differ in padding and in what the loss counts, so
// that a division per chunk, segment or block would show.
lc::Update ragged_update() {
  const at::Tensor tokens_BN = small::tokens(8, 21);
  lc::Update update;
  for (int64_t index = 0; index < 4; ++index) {
    lc::Segment segment = small::segment(tokens_BN, 5, index);
    segment.weights_BT.select(0, index).narrow(0, 0, 3).zero_();
    if (index == 3) {
      small::pad(segment, 1, 2);
      small::pad(segment, 6, 1);
    }
    if (index % 2 == 0) update.blocks.emplace_back();
    update.weight += segment.weights_BT.sum(at::kDouble).item<double>();
    update.tokens += segment.valid_BT.sum().item<int64_t>();
    update.blocks.back().push_back(std::move(segment));
  }
  return update;
}

struct Outcome {
  double nats;
  at::Tensor gradients;
  at::Tensor memory;
};

at::Tensor flat_memory(const lc::MemoryState& memory) {
  std::vector<at::Tensor> parts;
  for (int64_t l = 0; l < memory.layer_count(); ++l) {
    for (const auto& queue : memory.layer(l).queues) {
      for (size_t b = 0; b < queue.fill_B.size(); ++b) {
        const at::Tensor row = queue.slots[static_cast<int64_t>(b)];
        parts.push_back(row.narrow(0, row.size(0) - queue.fill_B[b], queue.fill_B[b]).flatten());
      }
    }
  }
  return at::cat(parts).to(at::kDouble);
}

Outcome outcome(at::ScalarType dtype, int64_t chunks) {
  const auto model = small::model(dtype, kDropout);
  auto result = lc::add_gradients(*model, ragged_update(),
                                  model->initial_memory(8, lc::MemoryUse::kTraining).detach(),
                                  {.seed = 5, .chunks = chunks});
  return {result.nats, small::take_gradients(*model), flat_memory(result.memory)};
}

// The definition, written down: loss = sum of weight * nll over the sum of weights, memory detached
// after every second segment.
Outcome by_definition() {
  const auto model = small::model(at::kDouble, kDropout);
  const lc::Update update = ragged_update();
  lc::MemoryState memory = model->initial_memory(8, lc::MemoryUse::kTraining).detach();
  at::Tensor nats = at::zeros({}, at::kDouble);
  double weight = 0;
  for (const auto& block : update.blocks) {
    memory = memory.detach();
    for (const lc::Segment& segment : block) {
      auto result = model->step(segment, std::move(memory), {.training = true, .seed = 5});
      memory = std::move(result.memory);
      nats = nats + (result.nll_BT * segment.weights_BT).sum();
      weight += segment.weights_BT.sum().item<double>();
    }
  }
  (nats / weight).backward();
  return {nats.item<double>(), small::take_gradients(*model), flat_memory(memory.detach())};
}

}  // namespace

TEST_CASE("an update's gradient is that of the mean over all its weights", "[train]") {
  const Outcome expected = by_definition();
  const Outcome found = outcome(at::kDouble, 1);
  CHECK(found.nats == Approx(expected.nats).epsilon(1e-13));
  CHECK(small::relative_difference(found.gradients, expected.gradients) < 1e-12);
  CHECK(small::relative_difference(found.memory, expected.memory) < 1e-13);
  CHECK(expected.gradients.norm().item<double>() > 1e-3);
}

TEST_CASE("any number of chunks gives the same loss and gradients, dropout on", "[train]") {
  for (const auto& [dtype, tolerance] :
       {std::pair{at::kFloat, 1e-6}, std::pair{at::kDouble, 1e-12}}) {
    const Outcome whole = outcome(dtype, 1);
    for (const int64_t chunks : {2, 3, 8}) {
      CAPTURE(chunks, tolerance);
      const Outcome parts = outcome(dtype, chunks);
      CHECK(std::abs(parts.nats - whole.nats) < tolerance * whole.nats);
      CHECK(small::relative_difference(parts.gradients, whole.gradients) < tolerance);
      CHECK(small::relative_difference(parts.memory, whole.memory) < tolerance);
    }
  }
}

TEST_CASE("gradients flow through memory inside a block and not between blocks", "[train]") {
  const at::Tensor tokens_BN = small::tokens(2, 13);
  const auto gradients = [&](std::vector<std::vector<int64_t>> blocks) {
    const auto model = small::model(at::kDouble, "");
    lc::Update update;
    for (const auto& block : blocks) {
      update.blocks.emplace_back();
      for (const int64_t index : block) {
        lc::Segment segment = small::segment(tokens_BN, 4, index);
        // Only the last segment counts: the first two matter through memory alone.
        if (index < 2) segment.weights_BT.zero_();
        update.weight += segment.weights_BT.sum().item<double>();
        update.blocks.back().push_back(std::move(segment));
      }
    }
    lc::add_gradients(*model, update, model->initial_memory(2, lc::MemoryUse::kTraining), {});
    return small::take_gradients(*model);
  };
  const at::Tensor apart = gradients({{0}, {1}, {2}});
  const at::Tensor two = gradients({{0}, {1, 2}});
  const at::Tensor three = gradients({{0, 1, 2}});
  CHECK(small::relative_difference(two, apart) > 1e-3);
  CHECK(small::relative_difference(three, two) > 1e-6);
}

TEST_CASE("chunks cover the lanes and differ by one at most", "[train]") {
  for (const int64_t chunks : {1, 2, 3, 7}) {
    int64_t next = 0;
    for (int64_t i = 0; i < chunks; ++i) {
      const lc::LaneRange range = lc::chunk_lanes(7, chunks, i);
      CHECK(range.first == next);
      CHECK(range.count >= 7 / chunks);
      CHECK(range.count <= (7 + chunks - 1) / chunks);
      next += range.count;
    }
    CHECK(next == 7);
  }
}

#include "core/memory_state.h"

#include <ATen/ATen.h>

#include "catch.h"
#include "core/error.h"

namespace lc {
namespace {

// One row per position: [B, T, 1] with the values given.
at::Tensor rows(const std::vector<std::vector<int64_t>>& values) {
  const auto lanes = static_cast<int64_t>(values.size());
  const auto length = static_cast<int64_t>(values.front().size());
  at::Tensor tensor = at::empty({lanes, length, 1}, at::kLong);
  for (int64_t b = 0; b < lanes; ++b) {
    for (int64_t t = 0; t < length; ++t) {
      tensor[b][t][0] = values[static_cast<size_t>(b)][static_cast<size_t>(t)];
    }
  }
  return tensor;
}

// What a lane of a queue holds, oldest first.
std::vector<int64_t> held(const MemoryQueue& queue, int64_t lane) {
  const int64_t fill = queue.fill_B[static_cast<size_t>(lane)];
  const int64_t slots = queue.slots.size(1);
  std::vector<int64_t> values;
  for (int64_t s = slots - fill; s < slots; ++s) {
    values.push_back(queue.slots[lane][s][0].item<int64_t>());
  }
  return values;
}

using Values = std::vector<int64_t>;

MemoryState state_of(const MemoryQueue& queue) {
  std::vector<LayerMemory> layers(1);
  layers[0].queues.push_back(queue);
  return MemoryState(queue.slots.size(0), MemoryUse::kTraining, std::move(layers), {}, 0);
}

const MemoryQueue& queue_of(const MemoryState& state) { return state.layer(0).queue("m"); }

MemoryQueue two_lanes() { return {"m", rows({{1, 2, 3}, {0, 0, 9}}), {3, 1}}; }

}  // namespace

TEST_CASE("Appending keeps the newest slots of each lane", "[memory]") {
  const MemoryQueue empty{"m", rows({{}, {}}), {0, 0}};
  MemoryQueue queue = append(empty, rows({{1, 2}, {11, 12}}), 3, {0, 0});
  CHECK(held(queue, 0) == Values{1, 2});
  queue = append(queue, rows({{3, 4}, {0, 0}}), 3, {0, 1});  // lane 1 was padded: it starts anew
  CHECK(held(queue, 0) == Values{2, 3, 4});
  CHECK(held(queue, 1).empty());
  queue = append(queue, rows({{5}, {13}}), 3, {0, 0});
  CHECK(held(queue, 0) == Values{3, 4, 5});
  CHECK(held(queue, 1) == Values{13});
  queue = append(queue, rows({{6, 7, 8, 9}, {14, 15, 16, 17}}), 3, {0, 0});
  CHECK(held(queue, 0) == Values{7, 8, 9});
  CHECK(held(queue, 1) == Values{15, 16, 17});
  queue = append(queue, rows({{1}, {2}}), 0, {0, 0});
  CHECK(queue.slots.size(1) == 0);
}

TEST_CASE("Appending agrees with a list that is cut, whatever the lengths", "[memory]") {
  for (int64_t capacity = 0; capacity <= 5; ++capacity) {
    MemoryQueue queue{"m", rows({{}, {}}), {0, 0}};
    std::vector<Values> lists(2);
    int64_t next = 1;
    for (int64_t step = 0; step < 30; ++step) {
      const int64_t length = 1 + step * 7 % 4;
      const std::vector<char> padded = {step % 5 == 4, step % 7 == 6};
      std::vector<Values> added(2);
      for (size_t b = 0; b < 2; ++b) {
        for (int64_t t = 0; t < length; ++t) added[b].push_back(next++);
        lists[b].insert(lists[b].end(), added[b].begin(), added[b].end());
        if (padded[b]) lists[b].clear();
        while (static_cast<int64_t>(lists[b].size()) > capacity) lists[b].erase(lists[b].begin());
      }
      queue = append(queue, rows(added), capacity, padded);
      for (size_t b = 0; b < 2; ++b) REQUIRE(held(queue, static_cast<int64_t>(b)) == lists[b]);
    }
  }
}

TEST_CASE("Replacing takes chosen lanes from the other state, at any fill", "[memory]") {
  const MemoryQueue fresh{"m", rows({{0}, {0}}), {0, 0}};
  const MemoryState emptied = state_of(two_lanes()).replace({1, 0}, state_of(fresh));
  CHECK(held(queue_of(emptied), 0).empty());
  CHECK(held(queue_of(emptied), 1) == Values{9});
  const MemoryQueue longer{"m", rows({{4, 5, 6, 7}, {0, 0, 6, 7}}), {4, 2}};
  const MemoryState mixed = state_of(two_lanes()).replace({0, 1}, state_of(longer));
  CHECK(held(queue_of(mixed), 0) == Values{1, 2, 3});
  CHECK(held(queue_of(mixed), 1) == Values{6, 7});
  const MemoryState back = state_of(longer).replace({1, 0}, state_of(two_lanes()));
  CHECK(held(queue_of(back), 0) == Values{1, 2, 3});
  CHECK(held(queue_of(back), 1) == Values{6, 7});
  CHECK(held(queue_of(state_of(longer).replace({1, 1}, state_of(two_lanes()))), 1) == Values{9});
}

TEST_CASE("Selecting lanes and joining them gives the state back", "[memory]") {
  const MemoryState whole = state_of(two_lanes());
  std::vector<MemoryState> parts;
  parts.push_back(whole.select(0, 1));
  parts.push_back(state_of({"m", rows({{8, 9}}), {2}}));
  const MemoryState joined = MemoryState::concat(parts);
  CHECK(joined.lanes() == 2);
  CHECK(held(queue_of(joined), 0) == Values{1, 2, 3});
  CHECK(held(queue_of(joined), 1) == Values{8, 9});
  CHECK(held(queue_of(whole.select(1, 1)), 0) == Values{9});
  CHECK(whole.bytes() == 2 * 3 * 8);
}

TEST_CASE("A saved memory is loaded as it was, and another is refused", "[memory]") {
  const MemoryState saved = state_of(two_lanes());
  const MemoryState like = state_of({"m", rows({{}, {}}), {0, 0}});
  const MemoryState loaded = MemoryState::load(saved.save(), like, "memory file");
  CHECK(held(queue_of(loaded), 0) == Values{1, 2, 3});
  CHECK(held(queue_of(loaded), 1) == Values{9});
  NamedTensors missing = saved.save();
  missing.pop_back();
  CHECK_THROWS_AS(MemoryState::load(missing, like, "memory file"), Error);
  NamedTensors more = saved.save();
  more.emplace_back("layers.1.m", rows({{1}, {2}}));
  CHECK_THROWS_AS(MemoryState::load(more, like, "memory file"), Error);
  NamedTensors overfull = saved.save();
  overfull.back().second = at::tensor({3, 4}, at::kLong);  // of three slots
  CHECK_THROWS_AS(MemoryState::load(overfull, like, "memory file"), Error);
  const MemoryState wider = state_of({"m", at::zeros({2, 0, 5}, at::kLong), {0, 0}});
  CHECK_THROWS_AS(MemoryState::load(saved.save(), wider, "memory file"), Error);
  CHECK_THROWS_AS(MemoryState::load(saved.select(0, 1).save(), like, "memory file"), Error);
}

TEST_CASE("Leaves gather gradients of their own, integers none", "[memory]") {
  const at::Tensor weight = at::full({}, 2.0, at::kDouble).requires_grad_(true);
  std::vector<LayerMemory> layers(1);
  layers[0].queues.push_back({"sums", at::ones({2, 3}, at::kDouble) * weight, {}});
  layers[0].queues.push_back({"tokens", at::ones({2}, at::kLong), {}});
  layers[0].queues.push_back({"unread", at::ones({2}, at::kDouble), {}});
  const MemoryState state(2, MemoryUse::kTraining, std::move(layers), {}, 0);
  const MemoryState leaves = state.as_leaves();
  (leaves.clone().layer(0).queue("sums").slots * 5).sum().backward();
  const std::vector<at::Tensor> gradients = leaves.gradients();
  REQUIRE(gradients.size() == 3);
  CHECK(at::equal(gradients[0], at::full({2, 3}, 5.0, at::kDouble)));
  CHECK(!gradients[1].defined());
  CHECK(!gradients[2].defined());
  CHECK(!weight.grad().defined());
  CHECK(at::equal(leaves.layer(0).queue("sums").slots, state.layer(0).queue("sums").slots));
}

TEST_CASE("A state that was moved from throws", "[memory]") {
  MemoryState state = state_of(two_lanes());
  const MemoryState taken = std::move(state);
  CHECK(taken.lanes() == 2);
  CHECK_THROWS(state.lanes());
  CHECK_THROWS(state.clone());
  CHECK_THROWS(state.layer(0));
  state = taken.clone();
  CHECK(state.lanes() == 2);
}

}  // namespace lc

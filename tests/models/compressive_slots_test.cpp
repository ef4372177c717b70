// What compressed slots are made of and how old they are, against positions written down by hand.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "contract/zoo.h"

namespace {

using Json = nlohmann::json;

constexpr int64_t kSegmentRows = 8;
constexpr int64_t kSegmentsRead = 5;

Json with_true_distances(const Json& block) {
  Json own{{"memory_length", 12},
           {"compressed_length", 5},
           {"rate", 4},
           {"compression", "mean"},
           {"compressed_positions", "distance"}};
  own.update(block);
  return {{"type", "compressive"}, {"layers", 2},
          {"d_model", 12},         {"heads", 2},
          {"d_head", 4},           {"d_inner", 20},
          {"init_std", 0.3},       {"positions", {{"scheme", "xl_relative"}}},
          {"compressive", own}};
}

// Two lanes read in segments; lane 1 begins anew before segment `anew`. After each segment, its
// number and the memory are handed over.
template <class After>
void read_lanes(const Json& model_json, int64_t anew, After&& after) {
  const c10::NoGradGuard no_gradient;
  const auto model = zoo::build(model_json);
  const at::Tensor text = zoo::tokens(2, kSegmentsRead * kSegmentRows + 1, 61);
  lc::MemoryState memory = model->initial_memory(2, lc::MemoryUse::kTraining);
  for (int64_t s = 0; s < kSegmentsRead; ++s) {
    lc::Segment segment = zoo::segment(text, kSegmentRows * s, kSegmentRows, s);
    segment.starts_B[1] = s == 0 || s == anew;
    memory = model->step(segment, std::move(memory), {}).memory;
    after(s, memory);
  }
}

// Where the newest row of each slot of a lane stood in the text, by its age; next: the position of
// the input that ages are counted back from.
std::vector<int64_t> newest_rows(const lc::LayerMemory& memory, size_t lane, int64_t next) {
  const lc::MemoryQueue& ages = memory.queue("compressed.ages");
  CHECK(ages.fill_B == memory.queue("compressed").fill_B);
  const int64_t slots = ages.slots.size(1);
  std::vector<int64_t> positions;
  for (int64_t j = slots - ages.fill_B[lane]; j < slots; ++j) {
    positions.push_back(next - ages.slots[static_cast<int64_t>(lane)][j].item<int64_t>());
  }
  return positions;
}

// The newest `count` rows of a queue in one lane, [count, D].
at::Tensor newest_of(const lc::MemoryQueue& queue, int64_t lane, int64_t count) {
  return queue.slots[lane].narrow(0, queue.slots.size(1) - count, count);
}

// Inputs of a layer, [lanes, T, D], and the slots that the layer holds at last; memory must hold a
// segment.
struct Kept {
  at::Tensor inputs_BTD;
  lc::LayerMemory last;
};
Kept inputs_and_slots(const Json& model, int64_t layer) {
  Kept kept;
  std::vector<at::Tensor> parts;
  read_lanes(model, 0, [&](int64_t, const lc::MemoryState& memory) {
    kept.last = memory.layer(layer);
    const at::Tensor& slots = kept.last.queue("memory").slots;
    parts.push_back(slots.narrow(1, slots.size(1) - kSegmentRows, kSegmentRows));
  });
  kept.inputs_BTD = at::cat(parts, 1);
  return kept;
}

}  // namespace

TEST_CASE("true distances are those of the newest row that a slot was made of", "[models]") {
  struct Expected {
    std::string name;
    Json block;
    std::vector<std::vector<int64_t>> newest;  // after each segment
  };
  const std::vector<Expected> cases{
      {"memory of one and a half segments",
       Json::object(),
       {{}, {3}, {3, 7, 11}, {3, 7, 11, 15, 19}, {11, 15, 19, 23, 27}}},
      {"memory shorter than a segment",
       {{"memory_length", 4}},
       {{3}, {3, 7, 11}, {3, 7, 11, 15, 19}, {11, 15, 19, 23, 27}, {19, 23, 27, 31, 35}}},
      // The first four rows are too few for a kernel of five.
      {"overlap",
       {{"compression", "conv"}, {"kernel_extra", 1}},
       {{}, {}, {8}, {8, 16}, {8, 16, 24}}},
      // Two slots of the five rows that dilations leave of eight; the newest row is in none.
      {"dilated",
       {{"compression", "dilated_conv"},
        {"rate", 2},
        {"dilation_rates", {1, 2}},
        {"memory_length", 16}},
       {{}, {}, {4, 6}, {4, 6, 12, 14}, {6, 12, 14, 20, 22}}},
      // As if zeros had stood before the text: twelve in memory, twenty in slots.
      {"zeros",
       {{"initial_memory", "zeros"}},
       {{-21, -17, -13, -9, -5},
        {-13, -9, -5, -1, 3},
        {-5, -1, 3, 7, 11},
        {3, 7, 11, 15, 19},
        {11, 15, 19, 23, 27}}}};
  for (const Expected& expected : cases) {
    read_lanes(with_true_distances(expected.block), 0,
               [&](int64_t s, const lc::MemoryState& memory) {
                 INFO(expected.name << ", after segment " << s);
                 for (const int64_t layer : {0, 1}) {
                   for (const size_t lane : {0, 1}) {
                     CHECK(newest_rows(memory.layer(layer), lane, kSegmentRows * (s + 1)) ==
                           expected.newest[static_cast<size_t>(s)]);
                   }
                 }
               });
  }
  const auto zeros = zoo::build(with_true_distances({{"initial_memory", "zeros"}}));
  const lc::MemoryState initial = zeros->initial_memory(2, lc::MemoryUse::kTraining);
  CHECK(newest_rows(initial.layer(0), 1, 0) == std::vector<int64_t>{-29, -25, -21, -17, -13});
}

TEST_CASE("a lane that began later has slots and distances of its own", "[models]") {
  const std::vector<std::vector<int64_t>> first{
      {}, {3}, {3, 7, 11}, {3, 7, 11, 15, 19}, {11, 15, 19, 23, 27}};
  const std::vector<std::vector<int64_t>> second{{}, {3}, {}, {19}, {19, 23, 27}};
  read_lanes(with_true_distances(Json::object()), 2, [&](int64_t s, const lc::MemoryState& memory) {
    INFO("after segment " << s);
    const int64_t next = kSegmentRows * (s + 1);
    CHECK(newest_rows(memory.layer(1), 0, next) == first[static_cast<size_t>(s)]);
    CHECK(newest_rows(memory.layer(1), 1, next) == second[static_cast<size_t>(s)]);
  });
}

TEST_CASE("a slot that is a row itself has the distance of that row", "[models]") {
  const Json model = with_true_distances({{"compression", "most_used"}});
  const Kept kept = inputs_and_slots(model, 1);
  int64_t inside = 0;  // slots that aren't the newest of four rows
  for (const int64_t lane : {0, 1}) {
    const std::vector<int64_t> found =
        newest_rows(kept.last, static_cast<size_t>(lane), kSegmentsRead * kSegmentRows);
    REQUIRE(found.size() == 5);
    const at::Tensor slots = newest_of(kept.last.queue("compressed"), lane, 5);
    for (int64_t j = 0; j < 5; ++j) {
      const at::Tensor same = kept.inputs_BTD[lane].eq(slots[j]).all(1).nonzero();
      REQUIRE(same.numel() == 1);
      CHECK(same.item<int64_t>() == found[static_cast<size_t>(j)]);
      inside += found[static_cast<size_t>(j)] % 4 == 3 ? 0 : 1;
    }
  }
  CHECK(inside > 0);  // so that groups of four would have given other distances
}

TEST_CASE("slots are made of inputs as they came into the layer, whatever the norm", "[models]") {
  Json model = with_true_distances(Json::object());
  model["norm"] = "post";
  const at::Tensor embedded = inputs_and_slots(model, 0).inputs_BTD;
  model["norm"] = "pre";
  CHECK(at::equal(inputs_and_slots(model, 0).inputs_BTD, embedded));
  for (const int64_t layer : {0, 1}) {
    const Kept kept = inputs_and_slots(model, layer);
    const at::Tensor means = kept.inputs_BTD.unflatten(1, {-1, 4}).mean(2);
    for (const int64_t lane : {0, 1}) {
      // The newest slot holds rows 24 to 27: those after it are in memory.
      const at::Tensor expected = means[lane].narrow(0, 2, 5);
      const at::Tensor slots = newest_of(kept.last.queue("compressed"), lane, 5);
      CHECK((slots - expected).abs().max().item<double>() < 1e-13);
    }
  }
}

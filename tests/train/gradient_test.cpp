#include "train/gradient.h"

#include <ATen/ATen.h>

#include <memory>
#include <utility>
#include <vector>

#include "catch.h"
#include "contract/zoo.h"
#include "train/small_model.h"
#include "train/whole_update.h"

namespace {

constexpr double kAuxiliaryWeight = 0.7;

std::unique_ptr<lc::LanguageModel> recurrent(at::ScalarType dtype) {
  return small::model(dtype, R"("dropout": 0.3, "attention_dropout": 0.25)");
}

std::unique_ptr<lc::LanguageModel> compressive(at::ScalarType dtype) {
  return small::model_of(dtype, R"({"type": "compressive", "layers": 2, "d_model": 12, "heads": 2,
      "d_inner": 16, "init_std": 0.3, "dropout": 0.2, "attention_dropout": 0.1, "compressive":
      {"memory_length": 6, "compressed_length": 3, "rate": 2, "aux_weight": 0.7}})");
}

using Ways = std::vector<std::pair<int64_t, lc::BlockMode>>;  // chunks, and the way back
const Ways kManyWays{{2, lc::BlockMode::kGraph},
                     {3, lc::BlockMode::kGraph},
                     {8, lc::BlockMode::kGraph},
                     {1, lc::BlockMode::kReplay},
                     {3, lc::BlockMode::kReplay}};
const Ways kFewWays{{3, lc::BlockMode::kGraph}, {2, lc::BlockMode::kReplay}};

// Against one chunk and the graphs of whole blocks.
void check_same_by(const Ways& ways, const lc::LanguageModel& model, double tolerance) {
  const small::UpdateOutcome whole = small::outcome(model, {.seed = 5});
  for (const auto& [chunks, mode] : ways) {
    INFO(chunks << " chunks, " << (mode == lc::BlockMode::kGraph ? "graph" : "replay"));
    small::check_same(small::outcome(model, {.seed = 5, .chunks = chunks, .mode = mode}), whole,
                      tolerance);
  }
}

}  // namespace

TEST_CASE("an update's gradient is that of the mean over all its weights", "[train]") {
  const auto model = recurrent(at::kDouble);
  const auto expected = small::by_definition(*model, {.seed = 5});
  small::check_same(small::outcome(*model, {.seed = 5}), expected, 1e-12);
  CHECK(expected.auxiliary.empty());
}

TEST_CASE("an update's auxiliary losses are means over all its lanes and segments", "[train]") {
  const auto model = compressive(at::kDouble);
  const auto expected =
      small::by_definition(*model, {.seed = 5, .auxiliary_weight = kAuxiliaryWeight});
  small::check_same(small::outcome(*model, {.seed = 5}), expected, 1e-12);
  REQUIRE(expected.auxiliary.size() == 2);
  for (const lc::AuxiliarySum& sum : expected.auxiliary) CHECK(sum.count > 8);
}

TEST_CASE("chunks and replay give the same update for every model, dropout on", "[train]") {
  for (zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    variant.model["dropout"] = 0.2;
    variant.model["attention_dropout"] = 0.2;
    check_same_by(kFewWays, *zoo::build(variant.model), 1e-11);
  }
}

TEST_CASE("any number of chunks gives the same update in either precision", "[train]") {
  for (const auto& [dtype, tolerance] :
       {std::pair{at::kFloat, 1e-5}, std::pair{at::kDouble, 1e-12}}) {
    CAPTURE(tolerance);
    check_same_by(kManyWays, *recurrent(dtype), tolerance);
    check_same_by(kManyWays, *compressive(dtype), tolerance);
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

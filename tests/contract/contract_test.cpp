// What every registered model must do, whatever its memory.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "catch.h"
#include "contract/passes.h"
#include "contract/zoo.h"

namespace {

using lc::MemoryState;
using lc::MemoryUse;
using zoo::difference;
using zoo::Pass;
using zoo::run;

constexpr double kEqual = 1e-10;  // in float64, sums in another order

bool begins_empty(const lc::LanguageModel& model) {
  const MemoryState memory = model.initial_memory(1, MemoryUse::kTraining);
  for (int64_t l = 0; l < memory.layer_count(); ++l) {
    for (const lc::MemoryQueue& queue : memory.layer(l).queues) {
      if (queue.counted() && queue.fill_B.front() > 0) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("a changed token changes no earlier loss", "[contract]") {
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    const at::Tensor text = zoo::tokens(2, 21, 3);
    const at::Tensor before = run(*model, text, 20, 5).nll_BN;
    for (const int64_t at : {3, 9, 14}) {
      at::Tensor changed = text.clone();
      changed[0][at] = (text[0][at] + 1) % zoo::kVocabulary;
      const at::Tensor after = run(*model, changed, 20, 5).nll_BN;
      // The token at `at` is the target of input at - 1: that loss changes, those before don't.
      CHECK(difference(before[0].narrow(0, 0, at - 1), after[0].narrow(0, 0, at - 1)) == 0.0);
      CHECK(difference(before[0][at - 1], after[0][at - 1]) > 0.0);
      CHECK(difference(before[0][at], after[0][at]) > 0.0);
      CHECK(difference(before[1], after[1]) == 0.0);
    }
  }
}

TEST_CASE("lanes are independent of each other", "[contract]") {
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    const at::Tensor text = zoo::tokens(3, 18, 5);
    const Pass together = run(*model, text, 17, 4);
    for (int64_t b = 0; b < 3; ++b) {
      const Pass alone = run(*model, text.narrow(0, b, 1), 17, 4);
      CHECK(difference(together.nll_BN[b], alone.nll_BN[0]) < kEqual);
    }
    std::vector<MemoryState> halves;
    halves.push_back(together.memory.select(0, 2));
    halves.push_back(together.memory.select(2, 1));
    const auto next = zoo::segment(zoo::tokens(3, 9, 6), 1, 4, 0);
    const at::Tensor whole = model->step(next, together.memory.clone(), {}).nll_BT;
    const at::Tensor joined = model->step(next, MemoryState::concat(halves), {}).nll_BT;
    CHECK(difference(whole, joined) == 0.0);
  }
}

TEST_CASE("a lane that starts anew equals a fresh one, and the others go on", "[contract]") {
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    const at::Tensor text = zoo::tokens(2, 31, 7);
    const c10::NoGradGuard no_gradient;
    Pass earlier = run(*model, text, 10, 5);
    lc::Segment next = zoo::segment(text, 10, 5, 2);
    next.starts_B = {1, 0};
    next.first_positions_B = {0, 10};
    auto mixed = model->step(next, earlier.memory.clone(), {});
    const at::Tensor fresh = run(*model, text.narrow(1, 10, 11), 10, 5).nll_BN;
    const at::Tensor onward = run(*model, text, 20, 5).nll_BN;
    CHECK(difference(mixed.nll_BT[0], fresh[0].narrow(0, 0, 5)) < kEqual);
    CHECK(difference(mixed.nll_BT[1], onward[1].narrow(0, 10, 5)) < kEqual);
    lc::Segment after = zoo::segment(text, 15, 5, 3);
    after.first_positions_B = {5, 15};
    const at::Tensor second = model->step(after, std::move(mixed.memory), {}).nll_BT;
    CHECK(difference(second[0], fresh[0].narrow(0, 5, 5)) < kEqual);
    CHECK(difference(second[1], onward[1].narrow(0, 15, 5)) < kEqual);
  }
}

TEST_CASE("padding on the right changes nothing and stays out of memory", "[contract]") {
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    const c10::NoGradGuard no_gradient;
    const at::Tensor text = zoo::tokens(2, 31, 8);
    lc::Segment padded = zoo::segment(text, 0, 6, 0);
    const at::Tensor whole =
        model->step(padded, model->initial_memory(2, MemoryUse::kTraining), {}).nll_BT;
    padded.valid_BT[1].narrow(0, 4, 2).fill_(false);
    padded.inputs_BT[1].narrow(0, 4, 2).fill_(0);
    padded.targets_BT[1].narrow(0, 4, 2).fill_(0);
    padded.padded_B = {0, 1};
    auto result = model->step(padded, model->initial_memory(2, MemoryUse::kTraining), {});
    CHECK(difference(result.nll_BT[0], whole[0]) < kEqual);
    CHECK(difference(result.nll_BT[1].narrow(0, 0, 4), whole[1].narrow(0, 0, 4)) < kEqual);
    CHECK(result.nll_BT[1].narrow(0, 4, 2).abs().max().item<double>() == 0.0);
    lc::Segment next = zoo::segment(text, 6, 5, 1);
    next.starts_B = {0, 1};
    next.first_positions_B = {6, 0};
    const at::Tensor second = model->step(next, std::move(result.memory), {}).nll_BT;
    lc::Segment fresh = zoo::segment(text, 6, 5, 1);
    fresh.starts_B = {1, 1};
    fresh.first_positions_B = {0, 0};
    const at::Tensor anew =
        model->step(fresh, model->initial_memory(2, MemoryUse::kTraining), {}).nll_BT;
    CHECK(difference(second[1], anew[1]) < kEqual);
  }
}

TEST_CASE("a lane that is padded with memory full ends empty and adds nothing to losses beside",
          "[contract]") {
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    const c10::NoGradGuard no_gradient;
    const at::Tensor text = zoo::tokens(2, 33, 17);
    const Pass earlier = run(*model, text, 24, 8);
    const lc::StepOptions training{.training = true, .seed = 2};
    const lc::Segment fourth = zoo::segment(text, 24, 8, 3);
    const auto whole = model->step(fourth, earlier.memory.clone(), training);
    const auto first = model->step(fourth.rows(0, 1), earlier.memory.select(0, 1), training);
    lc::Segment padded = zoo::segment(text, 24, 8, 3);
    for (at::Tensor* tensor :
         {&padded.valid_BT, &padded.inputs_BT, &padded.targets_BT, &padded.weights_BT}) {
      tensor->select(0, 1).narrow(0, 5, 3).zero_();
    }
    padded.padded_B = {0, 1};
    const auto result = model->step(padded, earlier.memory.clone(), training);
    CHECK(difference(result.nll_BT[0], whole.nll_BT[0]) < kEqual);
    CHECK(difference(result.nll_BT[1].narrow(0, 0, 5), whole.nll_BT[1].narrow(0, 0, 5)) < kEqual);
    for (int64_t l = 0; l < result.memory.layer_count(); ++l) {
      for (const lc::MemoryQueue& queue : result.memory.layer(l).queues) {
        INFO(queue.name << " of layer " << l);
        const lc::MemoryQueue& other = whole.memory.layer(l).queue(queue.name);
        if (!queue.counted()) {
          CHECK(difference(queue.slots[0], other.slots[0]) < kEqual);
          continue;
        }
        REQUIRE(earlier.memory.layer(l).queue(queue.name).fill_B[1] > 0);
        CHECK(queue.fill_B[1] == 0);
        REQUIRE(queue.fill_B[0] == other.fill_B[0]);
        const auto newest = [&](const at::Tensor& slots_K) {
          return slots_K.narrow(0, slots_K.size(0) - queue.fill_B[0], queue.fill_B[0]);
        };
        CHECK(difference(newest(queue.slots[0]), newest(other.slots[0])) < kEqual);
      }
    }
    REQUIRE(result.auxiliary.size() == whole.auxiliary.size());
    const auto shares = model->auxiliary_shares(earlier.memory, {&padded});
    REQUIRE(shares.size() == result.auxiliary.size());
    for (size_t i = 0; i < result.auxiliary.size(); ++i) {
      const lc::AuxiliaryLoss& loss = result.auxiliary[i];
      INFO(loss.name << " of layer " << loss.layer);
      CHECK(loss.count == 1);
      CHECK(whole.auxiliary[i].count == 2);
      CHECK(shares[i].count == 1);
      CHECK(shares[i].layer == loss.layer);
      CHECK(difference(loss.sum, first.auxiliary[i].sum) < kEqual);
    }
  }
}

TEST_CASE("a step leaves the memory it was given as it was", "[contract]") {
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    const c10::NoGradGuard no_gradient;
    const at::Tensor text = zoo::tokens(2, 21, 9);
    const Pass earlier = run(*model, text, 10, 5);
    const auto next = zoo::segment(text, 10, 5, 2);
    const at::Tensor first = model->step(next, earlier.memory.clone(), {}).nll_BT;
    run(*model, zoo::tokens(2, 21, 10), 20, 4, MemoryUse::kInference);  // an evaluation between
    CHECK(difference(first, model->step(next, earlier.memory.clone(), {}).nll_BT) == 0.0);
  }
}

TEST_CASE("memory that was saved and loaded goes on as before", "[contract]") {
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    const c10::NoGradGuard no_gradient;
    const at::Tensor text = zoo::tokens(2, 21, 11);
    Pass earlier = run(*model, text, 10, 5);
    const lc::NamedTensors saved = earlier.memory.save();
    CHECK(saved.empty() != variant.carries_memory);
    const auto next = zoo::segment(text, 10, 5, 2);
    const at::Tensor expected = model->step(next, earlier.memory.clone(), {}).nll_BT;
    MemoryState loaded =
        MemoryState::load(saved, model->initial_memory(2, MemoryUse::kTraining), "a test");
    CHECK(difference(expected, model->step(next, std::move(loaded), {}).nll_BT) == 0.0);
  }
}

TEST_CASE("with memory for everything, segments equal one long pass", "[contract]") {
  for (const zoo::Variant& variant : zoo::variants()) {
    if (!zoo::has_memory_setting(variant) || !variant.carries_memory) continue;
    INFO(variant.name);
    const auto model = zoo::build(zoo::with_memory(variant, 32));
    // Zero vectors that are attended stand before each segment anew, so they move.
    if (!begins_empty(*model)) continue;
    const at::Tensor text = zoo::tokens(2, 25, 12);
    const at::Tensor long_pass = run(*model, text, 24, 24).nll_BN;
    for (const int64_t length : {1, 5, 7, 12}) {
      CHECK(difference(long_pass, run(*model, text, 24, length).nll_BN) < kEqual);
    }
  }
}

TEST_CASE("open pieces and a fold equal one step", "[contract]") {
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    const c10::NoGradGuard no_gradient;
    const at::Tensor text = zoo::tokens(2, 31, 13);
    for (const MemoryUse use : {MemoryUse::kTraining, MemoryUse::kInference}) {
      for (const std::vector<int64_t>& pieces :
           std::vector<std::vector<int64_t>>{{6}, {5, 1}, {1, 1, 1, 1, 1, 1}, {2, 4}}) {
        MemoryState memory = model->initial_memory(2, use);
        std::vector<at::Tensor> nll;
        int64_t first = 0;
        for (int64_t s = 0; s < 4; ++s) {
          int64_t done = 0;
          for (const int64_t piece : pieces) {
            lc::Segment part = zoo::segment(text, first, piece, s);
            done += piece;
            part.end = done == 6 ? lc::SegmentEnd::kFold : lc::SegmentEnd::kKeepOpen;
            auto result = model->step(part, std::move(memory), {});
            nll.push_back(result.nll_BT);
            memory = std::move(result.memory);
            first += piece;
          }
        }
        CHECK(difference(run(*model, text, 24, 6).nll_BN, at::cat(nll, 1)) < kEqual);
      }
    }
  }
}

TEST_CASE("inference memory gives what training memory gives", "[contract]") {
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    const at::Tensor text = zoo::tokens(2, 25, 14);
    const Pass training = run(*model, text, 24, 5);
    Pass inference = run(*model, text, 24, 5, MemoryUse::kInference);
    CHECK(difference(training.nll_BN, inference.nll_BN) < kEqual);
    model->after_update();
    CHECK_THROWS(model->step(zoo::segment(text, 1, 4, 0), std::move(inference.memory), {}));
  }
}

TEST_CASE("every parameter gets a gradient", "[contract]") {
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    const at::Tensor text = zoo::tokens(3, 31, 15);
    MemoryState memory = model->initial_memory(3, MemoryUse::kTraining);
    at::Tensor sum = at::zeros({}, at::kDouble);
    for (int64_t s = 0; s < 4; ++s) {
      auto result = model->step(zoo::segment(text, 7 * s, 7, s), std::move(memory),
                                {.training = true, .seed = 1});
      sum = sum + result.nll_BT.sum();
      for (const lc::AuxiliaryLoss& loss : result.auxiliary) sum = sum + loss.sum;
      memory = std::move(result.memory);
    }
    sum.backward();
    for (const lc::Parameter& parameter : model->parameters().all()) {
      INFO(parameter.name);
      REQUIRE(parameter.value.grad().defined());
      CHECK(parameter.value.grad().abs().max().item<double>() > 0.0);
    }
  }
}

TEST_CASE("a tiny text is learned by heart", "[contract]") {
  for (const zoo::Variant& variant : zoo::variants()) {
    if (variant.model.at("norm") != "post" || variant.chosen) continue;
    INFO(variant.name);
    nlohmann::json tame = variant.model;
    tame["init_std"] = 0.1;
    const auto model = zoo::build(tame, {at::kFloat, at::kCPU});
    const at::Tensor text = at::arange(17).remainder(8).unsqueeze(0);  // 0 1 .. 7 0 1 ..
    double last = 0;
    for (int step = 0; step < 150; ++step) {
      MemoryState memory = model->initial_memory(1, MemoryUse::kTraining);
      at::Tensor sum = at::zeros({}, at::kFloat);
      for (int64_t s = 0; s < 2; ++s) {
        auto result =
            model->step(zoo::segment(text, 8 * s, 8, s), std::move(memory), {.training = true});
        sum = sum + result.nll_BT.mean();
        memory = result.memory.detach();
      }
      sum.backward();
      last = sum.item<double>() / 2;
      const c10::NoGradGuard no_gradient;
      for (const lc::Parameter& parameter : model->parameters().all()) {
        at::Tensor value = parameter.value;
        if (!value.grad().defined()) continue;
        value.sub_(value.grad(), 0.2);
        value.mutable_grad().reset();
      }
    }
    CHECK(last < 0.5);  // from ln 13 = 2.56
  }
}

// That chunks of lanes draw the same is shown where they are cut: tests/train/gradient_test.cpp.
TEST_CASE("dropout is the same for the same segment and another for the next", "[contract]") {
  for (zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    variant.model["dropout"] = 0.3;
    variant.model["attention_dropout"] = 0.2;
    const auto model = zoo::build(variant.model);
    const at::Tensor text = zoo::tokens(4, 31, 16);
    const lc::StepOptions training{.training = true, .seed = 9};
    const auto first = model->step(zoo::segment(text, 0, 6, 0),
                                   model->initial_memory(4, MemoryUse::kTraining), training);
    const lc::Segment second = zoo::segment(text, 6, 6, 1);
    const at::Tensor whole = model->step(second, first.memory.clone(), training).nll_BT;
    const at::Tensor plain = model->step(second, first.memory.clone(), {}).nll_BT;
    CHECK(difference(whole, plain) > 1e-3);
    CHECK(difference(whole, model->step(second, first.memory.clone(), training).nll_BT) == 0.0);
    lc::Segment later = second;
    later.index = 2;
    CHECK(difference(whole, model->step(later, first.memory.clone(), training).nll_BT) > 1e-3);
  }
}

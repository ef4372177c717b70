// A training step of every model on a device that refuses tensors of another one.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "catch.h"
#include "contract/fake_device.h"
#include "contract/zoo.h"

namespace {

// Losses of four segments and the gradient's norm. Lane 1 begins anew before the second, lane 2
// ends short in it: from then on lanes differ in what memories hold, and in how old it is.
std::pair<at::Tensor, double> train_step(const nlohmann::json& json, at::Device device) {
  const auto model = zoo::build(json, {at::kFloat, device});
  const at::Tensor text = zoo::tokens(3, 29, 21);
  lc::MemoryState memory = model->initial_memory(3, lc::MemoryUse::kTraining);
  std::vector<at::Tensor> nll;
  at::Tensor sum = at::zeros({}, at::TensorOptions().dtype(at::kFloat).device(device));
  for (int64_t s = 0; s < 4; ++s) {
    lc::Segment segment = zoo::segment(text, 7 * s, 7, s);
    if (s == 1) {
      segment.starts_B = {0, 1, 0};
      segment.padded_B = {0, 0, 1};
      segment.valid_BT[2].narrow(0, 5, 2).fill_(false);
    }
    if (s == 2) segment.starts_B = {0, 0, 1};
    auto result = model->step(segment.to(device), std::move(memory), {.training = true, .seed = 3});
    sum = sum + (result.nll_BT * segment.weights_BT.to(device)).sum();
    for (const lc::AuxiliaryLoss& loss : result.auxiliary) sum = sum + loss.sum;
    nll.push_back(result.nll_BT.detach().to(at::kCPU));
    memory = result.memory.detach();
  }
  sum.backward();
  double squares = 0;
  for (const lc::Parameter& parameter : model->parameters().all()) {
    if (parameter.value.grad().defined()) {
      squares += parameter.value.grad().square().sum().item<double>();
    }
  }
  return {at::cat(nll, 1), squares};
}

}  // namespace

TEST_CASE("the fake device refuses tensors of the CPU", "[contract]") {
  const at::Tensor here = at::ones({3}).to(fake::device());
  CHECK_THROWS(here + at::ones({3}));
  CHECK_THROWS(here.masked_fill(at::zeros({3}, at::kBool), 0));
  CHECK_THROWS(at::cat({here, at::ones({3})}));
  CHECK_THROWS(here.index_select(0, at::zeros({2}, at::kLong)));
  CHECK((here + 1).to(at::kCPU).sum().item<double>() == 6.0);
}

TEST_CASE("a training step runs on a device that is not the CPU", "[contract]") {
  for (zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    variant.model["dropout"] = 0.1;
    variant.model["attention_dropout"] = 0.1;
    const auto expected = train_step(variant.model, at::kCPU);
    const auto actual = train_step(variant.model, fake::device());
    CHECK((expected.first - actual.first).abs().max().item<double>() < 1e-5);
    CHECK(actual.second == Approx(expected.second).epsilon(1e-4));
  }
}

TEST_CASE("inference runs on a device that is not the CPU", "[contract]") {
  const c10::NoGradGuard no_gradient;
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const auto model = zoo::build(variant.model, {at::kFloat, fake::device()});
    const at::Tensor text = zoo::tokens(2, 29, 22);
    lc::MemoryState memory = model->initial_memory(2, lc::MemoryUse::kInference);
    for (int64_t s = 0; s < 4; ++s) {
      for (const bool folds : {false, true}) {
        lc::Segment piece =
            folds ? zoo::segment(text, 7 * s + 4, 3, s) : zoo::segment(text, 7 * s, 4, s);
        if (s == 1 && !folds) piece.starts_B = {0, 1};
        piece.end = folds ? lc::SegmentEnd::kFold : lc::SegmentEnd::kKeepOpen;
        auto result = model->logits(piece.to(fake::device()), std::move(memory));
        CHECK(result.logits_BV.exp().sum(1).to(at::kCPU).sub(1).abs().max().item<double>() < 1e-5);
        memory = std::move(result.memory);
      }
    }
  }
}

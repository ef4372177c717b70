// What is particular to the Compressive Transformer: who is trained by what, what its functions
// reduce to, and which lengths it refuses.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <string>

#include "catch.h"
#include "contract/zoo.h"
#include "core/error.h"
#include "core/rng.h"

namespace {

using Json = nlohmann::json;
using lc::MemoryUse;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Json model_json(const std::string& type, const Json& block) {
  return {{"type", type},    {"layers", 2},
          {"d_model", 12},   {"heads", 2},
          {"d_head", 4},     {"d_inner", 20},
          {"init_std", 0.3}, {"positions", {{"scheme", "xl_relative"}}},
          {"dropout", 0.0},  {type, block}};
}

Json compressive(Json block) {
  Json all{{"memory_length", 8}, {"compressed_length", 5}, {"rate", 4}};
  all.update(block);
  return model_json("compressive", all);
}

// Losses of segments of 8 read one after the other, and all auxiliary losses.
struct Pass {
  at::Tensor nll;
  at::Tensor auxiliary;
};
Pass run(const lc::LanguageModel& model, const at::Tensor& tokens_BN, int64_t segments) {
  lc::MemoryState memory = model.initial_memory(tokens_BN.size(0), MemoryUse::kTraining);
  std::vector<at::Tensor> nll;
  at::Tensor auxiliary = at::zeros({}, at::kDouble);
  for (int64_t s = 0; s < segments; ++s) {
    auto result = model.step(zoo::segment(tokens_BN, 8 * s, 8, s), std::move(memory),
                             {.training = true, .seed = 1});
    nll.push_back(result.nll_BT);
    for (const lc::AuxiliaryLoss& loss : result.auxiliary) auxiliary = auxiliary + loss.sum;
    memory = std::move(result.memory);
  }
  return {at::cat(nll, 1), auxiliary};
}

// The largest gradient in a group of parameters, 0 where there is none; gradients are cleared.
struct Reached {
  double main = 0;
  double compressor = 0;
};
Reached take_reached(const lc::LanguageModel& model) {
  Reached reached;
  for (const lc::Parameter& parameter : model.parameters().all()) {
    double& largest = parameter.group == "compressor" ? reached.compressor : reached.main;
    const at::Tensor& gradient = parameter.value.grad();
    if (gradient.defined()) largest = std::max(largest, gradient.abs().max().item<double>());
    parameter.value.mutable_grad().reset();
  }
  return reached;
}

// Other gains and biases in each norm, the same for the same name.
void disturb_norms(const lc::LanguageModel& model) {
  int64_t norms = 0;
  for (const lc::Parameter& parameter : model.parameters().all()) {
    if (!has(parameter.name, "norm.")) continue;
    const at::Tensor value = parameter.value;
    value.add_(lc::normal_draws(lc::hash_text(parameter.name), value.sizes()), 0.5);
    ++norms;
  }
  CHECK(norms >= 8);  // of two layers, each with a norm of attention and one of the feed-forward
}

std::string fault(const Json& model) {
  try {
    zoo::build(model);
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

template <class Check>
std::string fault_of(const Json& model, const Check& check) {
  lc::OptionTable table;
  table.add(lc::model_options());
  const auto config = lc::Config::read(table, Json{{"model", model}}.dump(), "test", {});
  try {
    check(config);
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

std::string segment_fault(const Json& model, int64_t length) {
  return fault_of(model, [&](const lc::Config& config) {
    lc::check_segment_length(config, {length, "train.segment_length"});
  });
}

std::string training_fault(const Json& model) { return fault_of(model, lc::check_training); }

}  // namespace

TEST_CASE("each part of a compressive model learns from one loss alone", "[models]") {
  const at::Tensor text = zoo::tokens(2, 41, 31);
  for (const std::string norm : {"post", "pre"}) {
    for (const std::string loss : {"attention_reconstruction", "auto_encoding"}) {
      INFO(norm << "-norm, " << loss);
      Json json = compressive({{"compression_loss", loss}});
      json["norm"] = norm;
      const auto model = zoo::build(json);
      run(*model, text, 5).nll.mean().backward();
      const Reached by_text = take_reached(*model);
      CHECK(by_text.main > 0);
      CHECK(by_text.compressor == 0);
      run(*model, text, 5).auxiliary.backward();
      const Reached by_compression = take_reached(*model);
      CHECK(by_compression.main == 0);
      CHECK(by_compression.compressor > 0);
    }
  }
  const auto free = zoo::build(compressive({{"compression_loss", "none"}}));
  run(*free, text, 5).nll.mean().backward();
  CHECK(take_reached(*free).compressor > 0);
}

TEST_CASE("a loss of the compression is zero where nothing is lost", "[models]") {
  // One row to a slot, unchanged: attention to both is the same.
  for (const std::string function : {"mean", "max", "most_used"}) {
    const auto model = zoo::build(compressive({{"rate", 1}, {"compression", function}}));
    CHECK(std::abs(run(*model, zoo::tokens(2, 41, 32), 5).auxiliary.item<double>()) < 1e-20);
  }
  // Zero memories and no bias: zero slots lose nothing in the first segment, later ones do.
  const auto model = zoo::build(compressive({{"initial_memory", "zeros"}}));
  CHECK(run(*model, zoo::tokens(2, 41, 33), 1).auxiliary.item<double>() == 0.0);
  CHECK(run(*model, zoo::tokens(2, 41, 33), 2).auxiliary.item<double>() > 0.0);
}

TEST_CASE("a convolution of identity / c is mean pooling", "[models]") {
  const c10::NoGradGuard no_gradient;
  const auto pooled = zoo::build(compressive({{"compression", "mean"}}));
  const auto convolved = zoo::build(compressive({{"compression", "conv"}}));
  const at::Tensor text = zoo::tokens(2, 49, 34);
  const Pass expected = run(*pooled, text, 6);
  CHECK((run(*convolved, text, 6).nll - expected.nll).abs().max().item<double>() > 1e-3);
  for (const lc::Parameter& parameter : convolved->parameters().all()) {
    if (parameter.group != "compressor") continue;
    const at::Tensor value = parameter.value;
    value.copy_((at::eye(12, at::kDouble) / 4).unsqueeze(2).expand_as(value));
  }
  const Pass found = run(*convolved, text, 6);
  CHECK((found.nll - expected.nll).abs().max().item<double>() < 1e-12);
  CHECK(found.auxiliary.item<double>() == Approx(expected.auxiliary.item<double>()).epsilon(1e-10));
}

TEST_CASE("without compressed memory it is Transformer-XL bit for bit", "[models]") {
  const c10::NoGradGuard no_gradient;
  const at::Tensor text = zoo::tokens(3, 49, 35);
  for (const std::string initial : {"empty", "zeros"}) {
    for (const int64_t memory : {0, 7, 8}) {
      for (const std::string norm : {"post", "pre"}) {
        INFO(initial << ", memory " << memory << ", " << norm << "-norm");
        const Json shared{{"memory_length", memory}, {"initial_memory", initial}};
        Json xl = model_json("transformer_xl", shared);
        Json own = compressive(shared);
        own["compressive"]["compressed_length"] = 0;
        xl["norm"] = norm;
        own["norm"] = norm;
        const at::Tensor expected = run(*zoo::build(xl, {at::kFloat}), text, 6).nll;
        CHECK(at::equal(run(*zoo::build(own, {at::kFloat}), text, 6).nll, expected));
      }
    }
  }
}

TEST_CASE("slots of one row each on one axis are a longer memory", "[models]") {
  // Gains and biases of norms make a norm too few or too many show.
  const c10::NoGradGuard no_gradient;
  const at::Tensor text = zoo::tokens(2, 49, 36);
  for (const std::string norm : {"post", "pre"}) {
    const auto build = [&](Json json) {
      json["norm"] = norm;
      auto model = zoo::build(json);
      disturb_norms(*model);
      return model;
    };
    const auto longer = build(model_json("transformer_xl", {{"memory_length", 13}}));
    const at::Tensor expected = run(*longer, text, 6).nll;
    for (const std::string positions : {"contiguous", "distance"}) {
      for (const std::string function : {"mean", "most_used"}) {
        INFO(norm << "-norm, " << positions << ", " << function);
        const auto model = build(compressive(
            {{"rate", 1}, {"compression", function}, {"compressed_positions", positions}}));
        CHECK((run(*model, text, 6).nll - expected).abs().max().item<double>() < 1e-12);
      }
    }
  }
}

TEST_CASE("lanes that start anew at different times don't touch each other", "[models]") {
  const c10::NoGradGuard no_gradient;
  const at::Tensor text = zoo::tokens(3, 65, 37);
  const std::vector<int64_t> begins{0, 2, 5};  // a lane's segment of new beginning
  for (const std::string initial : {"empty", "zeros"}) {
    for (const std::string function : {"mean", "conv", "dilated_conv", "most_used"}) {
      for (const std::string positions : {"separate", "contiguous", "distance"}) {
        INFO(initial << ", " << function << ", " << positions);
        const auto model = zoo::build(compressive({{"compression", function},
                                                   {"memory_length", 12},
                                                   {"dilation_rates", {1, 2}},
                                                   {"initial_memory", initial},
                                                   {"compressed_positions", positions}}));
        const auto pass = [&](int64_t first, int64_t count) {
          auto memory = model->initial_memory(count, MemoryUse::kTraining);
          std::vector<at::Tensor> nll;
          for (int64_t s = 0; s < 8; ++s) {
            lc::Segment segment = zoo::segment(text.narrow(0, first, count), 8 * s, 8, s);
            for (int64_t b = 0; b < count; ++b) {
              segment.starts_B[static_cast<size_t>(b)] =
                  s == 0 || s == begins[static_cast<size_t>(first + b)];
            }
            auto result = model->step(segment, std::move(memory), {});
            nll.push_back(result.nll_BT);
            memory = std::move(result.memory);
          }
          return at::cat(nll, 1);
        };
        const at::Tensor together = pass(0, 3);
        for (int64_t b = 0; b < 3; ++b) {
          CHECK((together[b] - pass(b, 1)[0]).abs().max().item<double>() < 1e-10);
        }
      }
    }
  }
}

TEST_CASE("lengths that can't be compressed are refused with the nearest that can", "[models]") {
  const std::string memory = fault(compressive({{"memory_length", 10}}));
  CHECK(has(memory, "model.compressive.memory_length"));
  CHECK(has(memory, "10 is no multiple of model.compressive.rate 4"));
  CHECK(has(memory, "use 8 or 12"));
  CHECK(has(fault(compressive({{"memory_length", 3}})), "use 4"));
  CHECK(fault(compressive({{"memory_length", 10}, {"initial_memory", "zeros"}})).empty());
  CHECK(fault(compressive({{"memory_length", 10}, {"compressed_length", 0}})).empty());
  CHECK(has(fault(compressive({{"rate", 0}})), "model.compressive.rate"));
  CHECK(has(fault(compressive({{"memory_length", -1}})), "model.compressive.memory_length"));
  CHECK(has(fault(compressive({{"compressed_length", -4}})), "compressed_length"));
  CHECK(fault(compressive({{"memory_length", 0}})).empty());
  CHECK(has(training_fault(compressive({{"memory_length", 0}})), "auto_encoding"));
  CHECK(training_fault(compressive({{"memory_length", 0}, {"compressed_length", 0}})).empty());
  CHECK(training_fault(compressive({{"memory_length", 0}, {"compression_loss", "auto_encoding"}}))
            .empty());
  Json rotary = compressive(Json::object());
  rotary["positions"]["scheme"] = "rotary";
  CHECK(has(fault(rotary), "xl_relative"));
  rotary["compressive"]["compressed_positions"] = "distance";
  CHECK(fault(rotary).empty());

  const std::string segment = segment_fault(compressive(Json::object()), 10);
  CHECK(has(segment, "train.segment_length: 10 is no multiple of model.compressive.rate 4"));
  CHECK(has(segment, "use 8 or 12"));
  CHECK(segment_fault(compressive(Json::object()), 12).empty());
  CHECK(segment_fault(compressive({{"compressed_length", 0}}), 10).empty());
  const Json dilated = compressive({{"compression", "dilated_conv"}, {"dilation_rates", {1, 2}}});
  CHECK(segment_fault(dilated, 8).empty());
  CHECK(has(segment_fault(dilated, 12), "8 is no multiple of train.segment_length 12"));
  CHECK(has(segment_fault(dilated, 4), "4 rows are too few for one slot"));
  CHECK(has(segment_fault(dilated, 4), "use 8 or more"));
  CHECK(has(segment_fault(compressive({{"kernel_extra", 5}}), 8), "use 12 or more"));
  CHECK(segment_fault(compressive({{"kernel_extra", 5}}), 12).empty());
  CHECK(segment_fault(model_json("transformer_xl", {{"memory_length", 7}}), 10).empty());
}

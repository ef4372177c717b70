// Small models, random texts and gradients for the tests of training.
#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "config/config.h"
#include "core/rng.h"
#include "models/registry.h"

namespace small {

constexpr int64_t kVocabulary = 11;

// model: the text of section "model".
inline std::unique_ptr<lc::LanguageModel> model_of(at::ScalarType dtype, const std::string& model) {
  lc::OptionTable table;
  table.add(lc::model_options());
  const auto config = lc::Config::read(table, "{\"model\": " + model + "}", "test", {});
  return lc::build_model(config, {kVocabulary, {dtype, at::kCPU, 3}});
}

inline std::unique_ptr<lc::LanguageModel> model(at::ScalarType dtype, const std::string& more) {
  return model_of(
      dtype,
      R"({"type": "transformer_xl", "layers": 2, "d_model": 12, "heads": 2, "d_inner": 16,
          "init_std": 0.3, "transformer_xl": {"memory_length": 5})" +
          (more.empty() ? "" : ", " + more) + "}");
}

// Random tokens, [lanes, length].
inline at::Tensor tokens(int64_t lanes, int64_t length) {
  at::Tensor result = at::empty({lanes, length}, at::kLong);
  for (int64_t i = 0; i < result.numel(); ++i) {
    result.mutable_data_ptr<int64_t>()[i] =
        static_cast<int64_t>(lc::hash_bits(static_cast<uint64_t>(i)) % kVocabulary);
  }
  return result;
}

// Segment `index` of length T, with memory going on from the one before.
inline lc::Segment segment(const at::Tensor& tokens_BN, int64_t length, int64_t index) {
  const int64_t lanes = tokens_BN.size(0);
  lc::Segment result;
  result.inputs_BT = tokens_BN.narrow(1, index * length, length).contiguous();
  result.targets_BT = tokens_BN.narrow(1, index * length + 1, length).contiguous();
  result.valid_BT = at::ones({lanes, length}, at::kBool);
  result.weights_BT = at::ones({lanes, length}, at::kFloat);
  result.starts_B.assign(static_cast<size_t>(lanes), index == 0);
  result.padded_B.assign(static_cast<size_t>(lanes), 0);
  result.lanes_B.resize(static_cast<size_t>(lanes));
  std::iota(result.lanes_B.begin(), result.lanes_B.end(), 0);
  result.first_positions_B.assign(static_cast<size_t>(lanes), index * length);
  result.index = index;
  return result;
}

// Row b keeps its first `count` inputs; the rest is padding.
inline void pad(lc::Segment& segment, int64_t row, int64_t count) {
  const int64_t padding = segment.length() - count;
  for (at::Tensor* tensor :
       {&segment.inputs_BT, &segment.targets_BT, &segment.valid_BT, &segment.weights_BT}) {
    tensor->select(0, row).narrow(0, count, padding).zero_();
  }
  segment.padded_B[static_cast<size_t>(row)] = 1;
}

// All gradients as one vector; the model's are cleared.
inline at::Tensor take_gradients(const lc::LanguageModel& model) {
  std::vector<at::Tensor> parts;
  for (const lc::Parameter& parameter : model.parameters().all()) {
    const at::Tensor& gradient = parameter.value.grad();
    parts.push_back(gradient.defined() ? gradient.flatten().clone()
                                       : at::zeros_like(parameter.value).flatten());
    parameter.value.mutable_grad().reset();
  }
  return at::cat(parts).to(at::kDouble);
}

inline double relative_difference(const at::Tensor& a, const at::Tensor& b) {
  return ((a - b).norm() / b.norm()).item<double>();
}

}  // namespace small

// Small models with large random weights, so that every input in reach shows in a loss.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "eval/evaluation_model.h"

constexpr int64_t kTinyVocabulary = 13;
constexpr double kTinyDeviation = 0.4;  // of initial weights

struct TinyModel {
  lc::OptionTable table;
  lc::Config config;
  std::unique_ptr<lc::LanguageModel> model;

  // section: keys of "model" beside those that every tiny model has, or in their place.
  TinyModel(const nlohmann::json& section, at::ScalarType dtype,
            int64_t vocab_size = kTinyVocabulary);
  lc::ModelSource source() const { return {table, config, *model}; }
};

nlohmann::json tiny_xl(int64_t memory_length, const char* span);
nlohmann::json tiny_vanilla();
// Memory of 8, and 5 slots, each the mean of 4 inputs.
nlohmann::json tiny_compressive(const char* compressed_positions);
nlohmann::json tiny_infini();

// Small models with large random weights, so that every input in reach shows in a loss.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "eval/evaluation_model.h"

struct TinyModel {
  lc::OptionTable table;
  lc::Config config;
  std::unique_ptr<lc::LanguageModel> model;

  // model: keys of section "model" beside the sizes, such as type and its block.
  TinyModel(nlohmann::json model, at::ScalarType dtype);
  lc::ModelSource source() const { return {table, config, *model}; }
};

constexpr int64_t kTinyVocabulary = 13;

nlohmann::json tiny_xl(int64_t memory_length, const char* span);
nlohmann::json tiny_vanilla();

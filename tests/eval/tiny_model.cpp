#include "eval/tiny_model.h"

#include "models/registry.h"

namespace {

lc::OptionTable table_of_models() {
  lc::OptionTable table;
  table.add(lc::model_options());
  return table;
}

nlohmann::json with_sizes(const nlohmann::json& section) {
  nlohmann::json model{{"layers", 3},
                       {"d_model", 12},
                       {"heads", 2},
                       {"d_head", 5},
                       {"d_inner", 16},
                       {"init_std", kTinyDeviation},
                       {"projection_init_std", kTinyDeviation}};
  model.update(section);
  return {{"model", model}};
}

}  // namespace

TinyModel::TinyModel(const nlohmann::json& section, at::ScalarType dtype, int64_t vocab_size)
    : table(table_of_models()),
      config(lc::Config::read(table, with_sizes(section).dump(), "test", {})),
      model(lc::build_model(config, {vocab_size, {dtype, at::kCPU, 5}})) {}

nlohmann::json tiny_xl(int64_t memory_length, const char* span) {
  return {{"type", "transformer_xl"},
          {"transformer_xl", {{"memory_length", memory_length}, {"attention_span", span}}}};
}

nlohmann::json tiny_vanilla() {
  return {{"type", "vanilla"}, {"positions", {{"scheme", "sinusoidal"}}}};
}

nlohmann::json tiny_compressive(const char* compressed_positions) {
  return {{"type", "compressive"},
          {"positions", {{"scheme", "xl_relative"}}},
          {"compressive",
           {{"memory_length", 8},
            {"compressed_length", 5},
            {"rate", 4},
            {"compression", "mean"},
            {"compressed_positions", compressed_positions}}}};
}

nlohmann::json tiny_infini() { return {{"type", "infini"}}; }

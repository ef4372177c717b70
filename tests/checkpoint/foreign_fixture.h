// Small configs and weights of other codes, for the tests of their formats.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.h"
#include "checkpoint/foreign/foreign_checkpoint.h"
#include "checkpoint/foreign/foreign_weights.h"
#include "checkpoint/safetensors.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/temporary_folder.h"
#include "models/registry.h"

namespace foreign_test {

using Json = nlohmann::json;

inline constexpr int64_t kTokens = 30;

// Arguments of the reference, of a model that is small and has no two equal sizes.
inline Json reference_config() {
  return {{"n_token", kTokens}, {"n_layer", 2}, {"n_head", 3},  {"d_model", 8},   {"d_head", 4},
          {"d_inner", 10},      {"mem_len", 7}, {"tgt_len", 5}, {"clamp_len", -1}};
}

inline Json adaptive_config() {
  Json config = reference_config();
  config.update({{"cutoffs", {10, 18}}, {"div_val", 2}, {"tie_projs", {false, true, false}}});
  return config;
}

// The shape of WikiText-103's base model: bins, but one table for all, as wide as the model.
inline Json one_table_config() {
  Json config = adaptive_config();
  config.update({{"div_val", 1}, {"d_embed", 8}, {"tie_projs", {false, true, true}}});
  return config;
}

inline lc::Config read_model(const Json& sections, const std::vector<std::string>& set = {}) {
  lc::OptionTable table;
  table.add(lc::model_options());
  table.add({lc::Option::integer("train.segment_length", 128)});
  return lc::Config::read(table, sections.dump(), "test", set);
}

// A config of theirs, read from a file.
inline lc::ForeignSettings settings_of(const std::string& format, const Json& theirs) {
  const lc::TemporaryFolder folder;
  lc::write_file_atomically(folder.path() / "config.json", theirs.dump());
  return lc::read_foreign_config(format, folder.path() / "config.json");
}

inline lc::Config config_of(const std::string& format, const Json& theirs) {
  return read_model(settings_of(format, theirs).sections);
}

inline const lc::ForeignDialect& dialect(const std::string& format) {
  for (const lc::ForeignDialect& one : lc::model_entry("transformer_xl").dialects) {
    if (one.format == format) return one;
  }
  throw std::runtime_error("no dialect " + format);
}

// Random parameters of the model that config builds.
inline lc::NamedTensors parameters_of(const lc::Config& config) {
  return lc::build_model(config, {kTokens, {at::kFloat, at::kCPU, 1}})->parameters().named();
}

inline lc::NamedTensors exported(const std::string& format, const lc::Config& config) {
  return lc::to_foreign(dialect(format).tensors(config, kTokens), parameters_of(config));
}

inline std::map<std::string, at::Tensor> as_map(const lc::NamedTensors& tensors) {
  return {tensors.begin(), tensors.end()};
}

inline void check_equal(const lc::NamedTensors& actual, const lc::NamedTensors& expected) {
  const auto left = as_map(actual);
  CHECK(left.size() == actual.size());
  CHECK(actual.size() == expected.size());
  for (const auto& [name, tensor] : expected) {
    INFO(name);
    REQUIRE(left.contains(name));
    CHECK(at::equal(left.at(name), tensor));
  }
}

// Writes the tensors and reads them as a checkpoint of that format; gives the message of the error.
inline std::string fault_of(const std::string& format, const lc::Config& config,
                            const lc::NamedTensors& theirs) {
  const lc::TemporaryFolder folder;
  lc::write_safetensors(folder.path() / "w.safetensors", theirs);
  try {
    lc::read_foreign_weights(format, config, kTokens, folder.path() / "w.safetensors");
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kData);
    return error.what();
  }
  return "";
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::vector<Json> configs() {
  Json wide = adaptive_config();
  wide["div_val"] = 1;
  wide["d_embed"] = 6;
  Json untied = adaptive_config();
  untied["tie_weight"] = untied["tie_word_embeddings"] = false;
  Json pre = reference_config();
  pre["pre_lnorm"] = true;
  std::vector<Json> all{
      reference_config(), adaptive_config(), wide, one_table_config(), untied, pre};
  for (Json& config : all) {
    config["vocab_size"] = kTokens;
    if (config.contains("cutoffs")) continue;
    config.update(
        {{"cutoffs", Json::array()}, {"div_val", 1}});  // which aren't defaults everywhere
  }
  all.push_back(all[1]);
  all.back()["untie_r"] = false;
  return all;
}

}  // namespace foreign_test

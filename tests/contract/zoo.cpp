#include "contract/zoo.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "core/rng.h"
#include "nn/positions/position_scheme.h"

namespace zoo {
namespace {

using Json = nlohmann::json;

// Sets "model.a.b" in a section "model".
void set(Json& model, const std::string& path, const Json& value) {
  std::string pointer = path.substr(std::string("model").size());
  for (char& c : pointer) c = c == '.' ? '/' : c;
  model[Json::json_pointer(pointer)] = value;
}

lc::Config config_of(const Json& model) {
  lc::OptionTable table;
  table.add(lc::model_options());
  return lc::Config::read(table, Json{{"model", model}}.dump(), "zoo", {});
}

// Without storage; null where the type refuses the settings, or to be trained with them.
std::unique_ptr<lc::LanguageModel> outline(const Json& model) {
  try {
    const lc::Config config = config_of(model);
    lc::check_training(config);
    return lc::build_model(config, {kVocabulary, {at::kFloat, at::kMeta, 1}});
  } catch (const lc::Error&) {
    return nullptr;
  }
}

bool has_queues(const lc::LanguageModel& model) {
  const lc::MemoryState memory = model.initial_memory(1, lc::MemoryUse::kTraining);
  return !memory.layer(0).queues.empty();
}

Json small(const std::string& type) {
  return {{"type", type}, {"layers", 2},   {"d_model", 12},   {"heads", 2},
          {"d_head", 4},  {"d_inner", 20}, {"init_std", 0.3}, {"projection_init_std", 0.3}};
}

constexpr const char* kMemory = "memory";
constexpr const char* kSecond = "compressed";

// Values that an evaluation flag of the type takes, or one that says nothing.
std::vector<int64_t> lengths(const lc::ModelEntry& entry, const char* flag,
                             std::vector<int64_t> values) {
  return entry.overrides.contains(flag) ? values : std::vector<int64_t>{0};
}

// The model with all lengths set; name and section.
Variant with_lengths(const lc::ModelEntry& entry, int64_t memory, int64_t second) {
  Variant variant{entry.type, entry.type, small(entry.type)};
  for (const auto& [flag, length] : {std::pair{kMemory, memory}, std::pair{kSecond, second}}) {
    const auto path = entry.overrides.find(flag);
    if (path == entry.overrides.end()) continue;
    set(variant.model, path->second, length);
    variant.name += ", " + std::string(flag) + " " + std::to_string(length);
  }
  return variant;
}

// Post-norm with each scheme that `takes`, pre-norm with the first of them.
template <typename F>
void add_with_schemes(const Variant& base, F&& takes, std::vector<Variant>& result) {
  bool pre_norm_done = false;
  for (const lc::PositionEntry& scheme : lc::position_registry()) {
    if (!takes(scheme.name)) continue;
    for (const std::string norm : {"post", "pre"}) {
      if (norm == "pre" && pre_norm_done) continue;
      Variant variant = base;
      variant.name += ", " + scheme.name + ", " + norm + "-norm";
      variant.model["norm"] = norm;
      variant.model["positions"]["scheme"] = scheme.name;
      const auto built = outline(variant.model);
      if (built == nullptr) continue;
      variant.carries_memory = has_queues(*built);
      pre_norm_done = pre_norm_done || norm == "pre";
      result.push_back(std::move(variant));
    }
  }
}

// Every value of every choice among the type's own rows that isn't the default.
void add_choices(const lc::ModelEntry& entry, const Variant& base, std::vector<Variant>& result) {
  std::vector<Variant> plain;
  add_with_schemes(
      base, [](const std::string&) { return true; }, plain);
  std::vector<std::string> covered;  // schemes
  for (const Variant& known : plain) covered.push_back(known.model["positions"]["scheme"]);
  for (const lc::Option& row : entry.options) {
    for (const std::string& value : row.choices) {
      if (row.fallback == value) continue;
      Variant variant = base;
      variant.chosen = true;
      variant.name += ", " + row.path.substr(row.path.rfind('.') + 1) + " " + value;
      set(variant.model, row.path, value);
      std::vector<Variant> made;
      add_with_schemes(
          variant,
          [&](const std::string& scheme) {
            return covered.empty() || scheme == covered.front() ||
                   std::find(covered.begin(), covered.end(), scheme) == covered.end();
          },
          made);
      for (Variant& one : made) {
        covered.push_back(one.model["positions"]["scheme"]);
        result.push_back(std::move(one));
      }
    }
  }
}

}  // namespace

std::vector<Variant> variants() {
  std::vector<Variant> result;
  for (const lc::ModelEntry& entry : lc::model_registry()) {
    const auto all_memory = lengths(entry, kMemory, {0, 4, 8});
    const auto all_second = lengths(entry, kSecond, {2, 5});
    for (const int64_t memory : all_memory) {
      for (const int64_t second : all_second) {
        const auto any = [](const std::string&) { return true; };
        add_with_schemes(with_lengths(entry, memory, second), any, result);
      }
    }
    add_choices(entry, with_lengths(entry, all_memory.back(), all_second.back()), result);
  }
  return result;
}

std::unique_ptr<lc::LanguageModel> build(const Json& model, Place place) {
  return lc::build_model(config_of(model), {kVocabulary, {place.dtype, place.device, 1}});
}

bool has_memory_setting(const Variant& variant) {
  return lc::model_entry(variant.type).overrides.count("memory") > 0;
}

Json with_memory(const Variant& variant, int64_t length) {
  Json model = variant.model;
  set(model, lc::model_entry(variant.type).overrides.at("memory"), length);
  return model;
}

at::Tensor tokens(int64_t lanes, int64_t length, uint64_t seed) {
  at::Tensor result = at::empty({lanes, length}, at::kLong);
  int64_t* out = result.mutable_data_ptr<int64_t>();
  for (int64_t i = 0; i < result.numel(); ++i) {
    const uint64_t bits = lc::hash_bits(lc::combine_keys(seed, static_cast<uint64_t>(i)));
    out[i] = static_cast<int64_t>(bits % static_cast<uint64_t>(kVocabulary));
  }
  return result;
}

lc::Segment segment(const at::Tensor& tokens_BN, int64_t first, int64_t length, int64_t index) {
  const auto lanes = static_cast<size_t>(tokens_BN.size(0));
  lc::Segment result;
  result.inputs_BT = tokens_BN.narrow(1, first, length).contiguous();
  result.targets_BT = tokens_BN.narrow(1, first + 1, length).contiguous();
  result.valid_BT = at::ones({tokens_BN.size(0), length}, at::kBool);
  result.weights_BT = at::ones({tokens_BN.size(0), length}, at::kFloat);
  result.starts_B.assign(lanes, first == 0 ? 1 : 0);
  result.padded_B.assign(lanes, 0);
  result.lanes_B.resize(lanes);
  std::iota(result.lanes_B.begin(), result.lanes_B.end(), 0);
  result.first_positions_B.assign(lanes, first);
  result.index = index;
  return result;
}

}  // namespace zoo

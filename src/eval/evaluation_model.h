// A trained model built anew with other runtime values (memory, span, clamp ...) and the same
// weights. Models are never mutated.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "config/config.h"
#include "models/language_model.h"

namespace lc {

// Where a model comes from; all outlive the use.
struct ModelSource {
  const OptionTable& table;
  const Config& config;
  const LanguageModel& model;
};

// Values by the name of their evaluation flag ("memory", "span", "clamp"), as model entries list
// them.
using RuntimeValues = std::map<std::string, nlohmann::json>;

// The config with those values. Error(kUsage) if the model type has no such flag, naming those it
// has, if the flag says nothing to its position scheme, or if the table refuses a value.
Config with_runtime_values(const OptionTable& table, const Config& config,
                           const RuntimeValues& values);
// Those that section eval asks for: memory_length -> "memory", compressed_length -> "compressed".
// What the model type doesn't have is idle, so that one line switches the model.
RuntimeValues periodic_runtime_values(const Config& config);

// By flag, how the user gave the value: "--memory", or "--sweep memory=5" where it is one of a
// list.
using ValueNames = std::map<std::string, std::string>;
// Does the work. An Error(kUsage) that names such a value by its flag or its config's key names it
// as it was given instead; up to the "=" where the key isn't the error's place.
void naming_values(const ValueNames& names, const std::function<void()>& work);

// Built from config, with source's weights, on its device and in its precision.
std::unique_ptr<LanguageModel> rebuild(const LanguageModel& source, const Config& config);
// The weights of source copied into a model that rebuild() made before.
void copy_weights(const LanguageModel& source, LanguageModel& target);

// The runtime values in force, by flag name, and "type": what a protocol prints of the model. Null
// where the model's position scheme has no use for a value.
nlohmann::json model_protocol(const Config& config);

}  // namespace lc

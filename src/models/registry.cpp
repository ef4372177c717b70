#include "models/registry.h"

#include <algorithm>

#include "core/error.h"
#include "nn/positions/position_scheme.h"
#include "nn/transformer_settings.h"

// The table of models: one line each.
#define LC_MODELS(X) \
  X(vanilla)         \
  X(transformer_xl)  \
  X(compressive)     \
  X(infini)

namespace lc {

#define LC_DECLARE(name) ModelEntry name##_model();
LC_MODELS(LC_DECLARE)
#undef LC_DECLARE

const std::vector<ModelEntry>& model_registry() {
#define LC_ENTRY(name) name##_model(),
  static const std::vector<ModelEntry> entries{LC_MODELS(LC_ENTRY)};
#undef LC_ENTRY
  return entries;
}

const ModelEntry& model_entry(const std::string& type) {
  std::string known;
  for (const ModelEntry& entry : model_registry()) {
    if (entry.type == type) return entry;
    known += (known.empty() ? "" : ", ") + entry.type;
  }
  throw Error(ErrorKind::kUsage, "model.type", "\"" + type + "\" is unknown",
              "choose one of " + known);
}

std::vector<std::string> parameter_groups() {
  std::vector<std::string> groups{"main"};
  for (const ModelEntry& entry : model_registry()) {
    for (const std::string& group : entry.parameter_groups) {
      if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
    }
  }
  return groups;
}

std::vector<Option> model_options() {
  std::vector<std::string> types;
  for (const ModelEntry& entry : model_registry()) types.push_back(entry.type);
  std::vector<Option> options{Option::choice("model.type", "transformer_xl", types)
                                  .architecture()
                                  .says("Which model of the zoo.")};
  const auto add = [&](const std::vector<Option>& more) {
    options.insert(options.end(), more.begin(), more.end());
  };
  add(transformer_options());
  add(position_options());
  for (const ModelEntry& entry : model_registry()) add(entry.options);
  return options;
}

void check_segment_length(const Config& config, const SegmentLength& length) {
  if (length.tokens > kLongestLength) {
    throw Error(ErrorKind::kUsage, length.where, std::to_string(length.tokens) + " is too long",
                "give at most " + std::to_string(kLongestLength) + " tokens");
  }
  const ModelEntry& entry = model_entry(config.get<std::string>("model.type"));
  if (entry.check_segment != nullptr) entry.check_segment(config, length);
}

void check_training(const Config& config) {
  const ModelEntry& entry = model_entry(config.get<std::string>("model.type"));
  if (entry.check_training != nullptr) entry.check_training(config);
}

std::unique_ptr<LanguageModel> build_model(const Config& config, const ModelSetup& setup) {
  return model_entry(config.get<std::string>("model.type")).build(config, setup);
}

}  // namespace lc

#include "eval/evaluation_model.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "models/registry.h"
#include "nn/positions/position_scheme.h"

namespace lc {
namespace {

const ModelEntry& entry_of(const Config& config) {
  return model_entry(config.get<std::string>("model.type"));
}

std::string flags_of(const ModelEntry& entry) {
  std::string flags;
  for (const auto& [flag, path] : entry.overrides) flags += (flags.empty() ? "" : ", ") + flag;
  return flags.empty() ? "none" : flags;
}

bool has_row(const PositionEntry& scheme, const std::string& path) {
  return std::any_of(scheme.options.begin(), scheme.options.end(),
                     [&](const Option& row) { return row.path == path; });
}

// The schemes that have the row; none: it is no row of schemes.
std::vector<std::string> schemes_with(const std::string& path) {
  std::vector<std::string> schemes;
  for (const PositionEntry& scheme : position_registry()) {
    if (has_row(scheme, path)) schemes.push_back(scheme.name);
  }
  return schemes;
}

// A row of position schemes other than the config's own changes nothing.
bool is_idle(const Config& config, const std::string& path) {
  const std::vector<std::string> schemes = schemes_with(path);
  const auto own = config.get<std::string>("model.positions.scheme");
  return !schemes.empty() && std::find(schemes.begin(), schemes.end(), own) == schemes.end();
}

void check_not_idle(const Config& config, const std::string& path, const std::string& flag) {
  if (!is_idle(config, path)) return;
  std::string schemes;
  for (const std::string& scheme : schemes_with(path)) {
    schemes += (schemes.empty() ? "" : ", ") + scheme;
  }
  throw Error(ErrorKind::kUsage, flag,
              "changes nothing where model.positions.scheme is " +
                  config.at("model.positions.scheme").dump(),
              "leave it out; it is for " + schemes);
}

std::string replaced(std::string text, const std::string& part, const std::string& with) {
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    text.replace(at, part.size(), with);
    at += with.size();
  }
  return text;
}

Error named_as_given(const Error& refusal, const ValueNames& names) {
  std::string place(refusal.where());
  std::string rest = std::string(refusal.what()).substr(place.empty() ? 0 : place.size() + 2);
  if (const auto given = names.find(place); given != names.end()) place = given->second;
  for (const ModelEntry& entry : model_registry()) {
    for (const auto& [flag, path] : entry.overrides) {
      const auto given = names.find(flag);
      if (given == names.end()) continue;
      const std::string& name = given->second;
      if (place == path) place = name;
      rest = replaced(std::move(rest), path, name.substr(0, name.find('=')));
    }
  }
  return {refusal.kind(), place, rest, ""};
}

}  // namespace

Config with_runtime_values(const OptionTable& table, const Config& config,
                           const RuntimeValues& values) {
  const ModelEntry& entry = entry_of(config);
  Config changed = config;
  for (const auto& [flag, value] : values) {
    const auto path = entry.overrides.find(flag);
    if (path == entry.overrides.end()) {
      throw Error(ErrorKind::kUsage, flag,
                  "value " + value.dump() + " can't be set for model type " + entry.type,
                  "leave it out; this model's evaluation settings are: " + flags_of(entry));
    }
    check_not_idle(config, path->second, flag);
    changed = changed.with(table, path->second, value);
  }
  return changed;
}

RuntimeValues periodic_runtime_values(const Config& config) {
  const auto& flags = entry_of(config).overrides;
  RuntimeValues values;
  const auto take = [&](const char* path, const char* flag) {
    if (!config.is_null(path) && flags.contains(flag)) values[flag] = config.at(path);
  };
  take("eval.memory_length", "memory");
  take("eval.compressed_length", "compressed");
  return values;
}

void naming_values(const ValueNames& names, const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    throw named_as_given(error, names);
  }
}

std::unique_ptr<LanguageModel> rebuild(const LanguageModel& source, const Config& config) {
  auto model = build_model(config, {source.vocab_size(), source.parameters().setup()});
  copy_weights(source, *model);
  return model;
}

void copy_weights(const LanguageModel& source, LanguageModel& target) {
  target.parameters().load(source.parameters().named(), "the trained model");
  target.after_update();
}

nlohmann::json model_protocol(const Config& config) {
  const ModelEntry& entry = entry_of(config);
  nlohmann::json values{{"type", entry.type}};
  for (const auto& [flag, path] : entry.overrides) {
    values[flag] = is_idle(config, path) ? nlohmann::json() : config.at(path);
  }
  return values;
}

}  // namespace lc

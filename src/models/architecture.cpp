#include "models/architecture.h"

#include <set>

#include "models/registry.h"
#include "nn/positions/position_scheme.h"
#include "nn/transformer_settings.h"

namespace lc {
namespace {

// Rows that only other models or other position schemes read.
std::set<std::string> idle_rows(const Config& config) {
  std::set<std::string> idle;
  const auto leave_out = [&](const std::vector<Option>& rows) {
    for (const Option& row : rows) idle.insert(row.path);
  };
  for (const ModelEntry& entry : model_registry()) {
    if (entry.type != config.get<std::string>("model.type")) leave_out(entry.options);
  }
  for (const PositionEntry& entry : position_registry()) {
    if (entry.name != config.get<std::string>("model.positions.scheme")) leave_out(entry.options);
  }
  return idle;
}

}  // namespace

std::map<std::string, nlohmann::json> architecture_of(const Config& config, int64_t vocab_size) {
  const std::set<std::string> idle = idle_rows(config);
  std::map<std::string, nlohmann::json> values;
  for (const Option& row : model_options()) {
    const bool decides = row.scope == OptionScope::kArchitecture && !row.training_only;
    if (decides && !idle.contains(row.path)) values[row.path] = config.at(row.path);
  }
  // Another memory brings other inputs to the same weights.
  values.erase("model.type");
  const TransformerSettings settings = read_transformer_settings(config, vocab_size);
  values["model.d_head"] = settings.d_head;
  values["model.d_inner"] = settings.d_inner;
  values["model.d_embed"] = settings.d_embed;
  values["model.adaptive.tie_projections"] = settings.adaptive.tie_projections;
  // Without clusters they have no order, and without projections none is shared.
  if (settings.adaptive.cutoffs.empty()) values.erase("model.adaptive.cluster_order");
  if (settings.adaptive.divisor == 1 && settings.d_embed == settings.d_model) {
    values.erase("model.adaptive.tie_projections");
  }
  return values;
}

}  // namespace lc

#include "eval/runtime_sweep.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "config/json_text.h"
#include "core/error.h"
#include "models/registry.h"

namespace lc {
namespace {

constexpr const char* kFlag = "--sweep";

SweepAxis parse_axis(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw Error(ErrorKind::kUsage, kFlag, "\"" + text + "\" is not FLAG=VALUE,VALUE,...",
                "write for instance --sweep memory=64,128,256");
  }
  SweepAxis axis{text.substr(0, equals), {}};
  for (size_t begin = equals + 1; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    nlohmann::json value = typed_value(text.substr(begin, end - begin));
    if (std::find(axis.values.begin(), axis.values.end(), value) != axis.values.end()) {
      throw Error(ErrorKind::kUsage, kFlag, axis.flag + "=" + value.dump() + " is given twice",
                  "give each value once");
    }
    axis.values.push_back(std::move(value));
    begin = end + 1;
  }
  return axis;
}

// Every combination, the last axis fastest.
std::vector<RuntimeValues> combinations(const std::vector<SweepAxis>& axes) {
  std::vector<RuntimeValues> result(1);
  for (const SweepAxis& axis : axes) {
    std::vector<RuntimeValues> longer;
    for (const RuntimeValues& values : result) {
      for (const nlohmann::json& value : axis.values) {
        longer.push_back(values);
        longer.back()[axis.flag] = value;
      }
    }
    result = std::move(longer);
  }
  return result;
}

Config config_of(const ModelSource& source, const RuntimeValues& values) {
  return with_runtime_values(source.table, source.config, values);
}

// "--sweep memory=5" for each value of a cell.
ValueNames names_of_cell(const RuntimeValues& values) {
  ValueNames names;
  for (const auto& [flag, value] : values) {
    const std::string typed = value.is_string() ? value.get<std::string>() : value.dump();
    names[flag] = std::string(kFlag) + " " + flag + "=" + typed;
  }
  return names;
}

// What would be refused once the cell's turn comes.
void check_cell(const ModelSource& source, const RuntimeValues& values,
                const EvaluationSettings& settings) {
  naming_values(names_of_cell(values), [&] {
    const Config config = config_of(source, values);
    check_segment_length(config, {settings.segment_length, "the segment length"});
    rebuild(source.model, config);
  });
}

}  // namespace

std::vector<SweepAxis> parse_sweep(const std::vector<std::string>& texts) {
  std::vector<SweepAxis> axes;
  for (const std::string& text : texts) {
    SweepAxis axis = parse_axis(text);
    for (const SweepAxis& other : axes) {
      if (other.flag != axis.flag) continue;
      throw Error(ErrorKind::kUsage, kFlag, axis.flag + " is given twice",
                  "give all its values in one list");
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

RuntimeSweep runtime_sweep(const ModelSource& source, const TokenFile& tokens,
                           const std::vector<SweepAxis>& axes, const EvaluationSettings& settings) {
  const std::vector<RuntimeValues> all = combinations(axes);
  for (const RuntimeValues& values : all) check_cell(source, values, settings);
  RuntimeSweep sweep{axes, {}};
  std::vector<int64_t> targets;
  for (const RuntimeValues& values : all) {
    const Config config = config_of(source, values);
    const auto model = rebuild(source.model, config);
    EvaluationSettings own = settings;
    own.model = model_protocol(config);
    const auto& flags = model_entry(config.get<std::string>("model.type")).overrides;
    const bool slides = !model->has_memory() && own.lane_split == LaneSplit::kExact;
    if (flags.contains("memory") && slides && !own.stride) own.stride = own.segment_length;
    Evaluation evaluation = evaluate_split(*model, tokens, own);
    TokenScores scores = std::exchange(evaluation.scores, {});
    if (sweep.cells.empty()) targets = std::move(scores.targets);
    LC_CHECK(sweep.cells.empty() || scores.targets == targets);
    sweep.cells.push_back({values, std::move(evaluation)});
  }
  return sweep;
}

nlohmann::json RuntimeSweep::cells_json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const SweepCell& cell : cells) {
    const Measures& measures = cell.evaluation.measures;
    nlohmann::json row{{"nats_per_token", optional_number(measures.nats_per_token)},
                       {"bits_per_byte", optional_number(measures.bits_per_byte)},
                       {"perplexity", optional_number(measures.perplexity)},
                       {"word_perplexity", optional_number(measures.word_perplexity)},
                       {"tokens_scored", measures.tokens_scored},
                       {"mode", cell.evaluation.protocol.at("mode")}};
    row.update(intervals_json(measures));
    for (const auto& [flag, value] : cell.values) row[flag] = value;
    list.push_back(std::move(row));
  }
  return list;
}

nlohmann::json RuntimeSweep::protocol() const {
  nlohmann::json json{{"tokens_scored", cells.front().evaluation.measures.tokens_scored}};
  for (const SweepAxis& axis : axes) json[axis.flag] = axis.values;
  return json;
}

}  // namespace lc

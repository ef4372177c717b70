#include "eval/run_request.h"

#include <algorithm>
#include <utility>

#include "config/json_text.h"
#include "core/error.h"
#include "eval/number_list.h"

namespace lc {
namespace {

constexpr const char* kContextFlag = "--context";
constexpr const char* kSetFlag = "--set";

void check_settable(const OptionTable& table, const std::string& path) {
  const Option* row = table.find(path);
  if (row == nullptr) {
    const std::string nearest = table.nearest(path);
    throw Error(ErrorKind::kUsage, kSetFlag, "there is no key " + path,
                nearest.empty() ? "see the list of keys" : "did you mean " + nearest + "?");
  }
  if (row->scope == OptionScope::kArchitecture) {
    throw Error(ErrorKind::kUsage, kSetFlag, path + " was fixed when the model was trained",
                "leave it out, or train another model");
  }
  const bool of_data =
      path == "data.boundaries" || path == "data.sequence_segments" || path == "data.lane_split";
  if (path.rfind("model.", 0) == 0 || of_data) return;
  throw Error(ErrorKind::kUsage, kSetFlag, path + " says nothing to an evaluation",
              "set keys of section model, data.boundaries, data.sequence_segments or "
              "data.lane_split, and use the flags for the rest");
}

}  // namespace

EvaluationSettings requested_settings(const Config& config, const EvaluationRequest& request) {
  EvaluationSettings settings = evaluation_settings(config);
  settings.segment_length = request.segment.value_or(config.get<int64_t>("train.segment_length"));
  settings.tokens = request.tokens;
  settings.stride = request.stride;
  settings.lanes = request.lanes;
  if (settings.lane_split == LaneSplit::kReference && !settings.lanes) {
    settings.lanes = config.get<int64_t>("train.lanes");
  }
  return settings;
}

bool asks_as_trained(const Config& config, const EvaluationRequest& request) {
  const EvaluationSettings asked = requested_settings(config, request);
  const EvaluationSettings own = requested_settings(config, {});
  const bool lanes_count = own.lane_split == LaneSplit::kReference;
  return asked.segment_length == own.segment_length && !asked.stride && !asked.tokens &&
         (!lanes_count || asked.lanes == own.lanes);
}

SegmentLength segment_of(const EvaluationSettings& settings, const EvaluationRequest& request) {
  return {settings.segment_length, request.segment ? "--segment" : "train.segment_length"};
}

Config with_settings(const OptionTable& table, const Config& config,
                     const std::vector<std::string>& settings) {
  Config changed = config;
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ErrorKind::kUsage, kSetFlag, "\"" + setting + "\" is not PATH=VALUE",
                  "write for instance --set data.boundaries=reset");
    }
    const std::string path = setting.substr(0, equals);
    check_settable(table, path);
    changed = changed.with(table, path, typed_value(setting.substr(equals + 1)));
  }
  return changed;
}

std::vector<int64_t> parse_contexts(const std::string& text) {
  return parse_whole_numbers(text, kContextFlag, "context length");
}

void check_contexts(const EvaluationRequest& request, const TokenFile& tokens) {
  if (request.contexts.empty()) return;
  const int64_t longest = *std::max_element(request.contexts.begin(), request.contexts.end());
  if (longest <= tokens.size() - 2) return;
  throw Error(ErrorKind::kData, kContextFlag,
              std::to_string(longest) + " is longer than the text of " +
                  std::to_string(tokens.size()) + " tokens",
              "ask for at most " + std::to_string(std::max<int64_t>(tokens.size() - 2, 0)) +
                  ", or give a longer text");
}

RunResult evaluate_run(const ModelSource& source, const TokenFile& tokens,
                       const EvaluationRequest& request) {
  check_contexts(request, tokens);
  const EvaluationSettings settings = requested_settings(source.config, request);
  check_segment_length(source.config, segment_of(settings, request));
  RunResult result;
  if (!request.contexts.empty()) {
    ContextSettings contexts;
    contexts.contexts = request.contexts;
    contexts.mode = request.mode;
    contexts.evaluation = settings;
    result.sweep = context_sweep(source, tokens, contexts);
  }
  if (!request.sweep.empty()) {
    result.grid = runtime_sweep(source, tokens, request.sweep, settings);
  }
  if (request.dynamic) {
    DynamicEvaluation learned = evaluate_dynamically(source, tokens, settings, *request.dynamic);
    result.evaluation = std::move(learned.evaluation);
    result.dynamic = std::move(learned.comparison);
    return result;
  }
  EvaluationSettings diagnosed = settings;
  diagnosed.diagnosis = request.diagnosis;
  result.evaluation = evaluate_split(source.model, tokens, diagnosed);
  return result;
}

}  // namespace lc

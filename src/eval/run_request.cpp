#include "eval/run_request.h"

#include <algorithm>
#include <charconv>

#include "core/error.h"

namespace lc {
namespace {

constexpr const char* kContextFlag = "--context";

int64_t parse_context(std::string_view text) {
  int64_t value = -1;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size() || value < 0) {
    throw Error(ErrorKind::kUsage, kContextFlag,
                "\"" + std::string(text) + "\" is not a context length",
                "give whole numbers from 0 on with commas between them, such as 0,64,128");
  }
  return value;
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

std::vector<int64_t> parse_contexts(const std::string& text) {
  std::vector<int64_t> contexts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    contexts.push_back(parse_context(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  return contexts;
}

void check_contexts(const EvaluationRequest& request, const TokenFile& tokens) {
  if (request.contexts.empty()) return;
  const int64_t longest = *std::max_element(request.contexts.begin(), request.contexts.end());
  if (longest + 2 <= tokens.size()) return;
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
  RunResult result;
  if (!request.contexts.empty()) {
    ContextSettings contexts;
    contexts.contexts = request.contexts;
    contexts.mode = request.mode;
    contexts.evaluation = settings;
    result.sweep = context_sweep(source, tokens, contexts);
  }
  result.evaluation = evaluate_split(source.model, tokens, settings);
  return result;
}

}  // namespace lc

#include "eval/contexts/effective_context_runs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"

namespace lc {
namespace {

constexpr const char* kLongestFlag = "--longest";
constexpr int64_t kMostContexts = 10000;  // each costs an evaluation
constexpr const char* kGroupFlag = "--group";
constexpr double kSimilarSize = 1.5;  // the largest run of a group over the smallest

[[noreturn]] void refuse_request(const std::string& flag, const std::string& what,
                                 const std::string& remedy) {
  throw Error(ErrorKind::kUsage, flag, what, remedy);
}

bool contains_name(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

RunGroup parse_group(const std::string& text, const std::vector<std::string>& runs) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    refuse_request(kGroupFlag, "\"" + text + "\" is not NAME=RUN,RUN,...",
                   "write for instance --group small=a,b");
  }
  RunGroup group{text.substr(0, equals), {}};
  for (size_t begin = equals + 1; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string run = text.substr(begin, end - begin);
    if (!contains_name(runs, run)) {
      refuse_request(kGroupFlag, "there is no run \"" + run + "\"",
                     "name runs given with --checkpoint: " + listed(runs));
    }
    if (contains_name(group.runs, run)) {
      refuse_request(kGroupFlag, run + " stands twice in " + group.name, "name it once");
    }
    group.runs.push_back(std::move(run));
    begin = end + 1;
  }
  return group;
}

nlohmann::json length_json(const EffectiveContext& length) {
  nlohmann::json gains = nlohmann::json::array();
  for (const ContextGain& step : length.gains) {
    gains.push_back({{"context", step.context}, {"longer", step.longer}, {"gain", step.gain}});
  }
  return {{"share", length.share},
          {"effective_context", length.tokens},
          {"at_least", length.at_least},
          {"targets", length.targets},
          {"gains", std::move(gains)}};
}

nlohmann::json run_lengths_json(const RunEffectiveContext& run) {
  nlohmann::json lengths = nlohmann::json::array();
  for (const EffectiveContext& length : run.by_share) lengths.push_back(length_json(length));
  return {{"name", run.run}, {"parameters", run.parameters}, {"lengths", std::move(lengths)}};
}

const MeasuredContexts& find_run(const std::vector<MeasuredContexts>& runs,
                                 const std::string& name) {
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const MeasuredContexts& run) {
    return run.losses.run == name;
  });
  LC_CHECK(found != runs.end());
  return *found;
}

// The runs of a group with its sizes, and a word where they aren't similar.
nlohmann::json group_protocol(const RunGroup& group, const std::vector<ContextLosses>& models) {
  const auto [smallest, largest] =
      std::minmax_element(models.begin(), models.end(),
                          [](const auto& a, const auto& b) { return a.parameters < b.parameters; });
  const double ratio = static_cast<double>(largest->parameters) /
                       static_cast<double>(std::max<int64_t>(smallest->parameters, 1));
  return {{"runs", group.runs}, {"similar_size", ratio <= kSimilarSize}};
}

}  // namespace

std::vector<int64_t> EffectiveContextRequest::contexts() const {
  if (step < 1)
    refuse_request("--step", "value " + std::to_string(step) + " is no step", "give at least 1");
  if (stride < 1)
    refuse_request("--stride", "value " + std::to_string(stride) + " is no stride",
                   "give at least 1");
  for (const double share : shares) {
    if (share > 0 && share <= 1) continue;
    refuse_request("--shares", "value " + nlohmann::json(share).dump() + " is no share of targets",
                   "give numbers above 0 and up to 1, such as 0.1,0.5,1");
  }
  const int64_t shortest = first == 0 ? step : first;
  for (const auto& [flag, length] :
       {std::pair{"--step", step}, {"--first", first}, {kLongestFlag, longest}}) {
    if (length <= kLongestLength) continue;
    refuse_request(flag, "value " + std::to_string(length) + " is longer than any text",
                   "give at most " + std::to_string(kLongestLength));
  }
  if (longest / step > kMostContexts) {
    refuse_request("--step",
                   "value " + std::to_string(step) + " makes more than " +
                       std::to_string(kMostContexts) + " contexts up to " + std::to_string(longest),
                   "give a larger one, or a shorter --longest");
  }
  std::vector<int64_t> lengths;
  for (int64_t c = shortest; c <= longest; c += step) lengths.push_back(c);
  if (lengths.size() < 2) {
    refuse_request(
        kLongestFlag,
        "value " + std::to_string(longest) + " leaves nothing to compare a context of " +
            std::to_string(shortest) + " with",
        "give at least " + std::to_string(shortest + step) + ", or smaller --first and --step");
  }
  return lengths;
}

std::vector<RunGroup> parse_groups(const std::vector<std::string>& texts,
                                   const std::vector<std::string>& runs) {
  if (texts.empty()) return {{"all", runs}};
  std::vector<RunGroup> groups;
  for (const std::string& text : texts) {
    groups.push_back(parse_group(text, runs));
    for (size_t other = 0; other + 1 < groups.size(); ++other) {
      if (groups[other].name != groups.back().name) continue;
      refuse_request(kGroupFlag, groups.back().name + " is given twice",
                     "give all its runs in one list");
    }
  }
  for (const std::string& run : runs) {
    if (std::any_of(groups.begin(), groups.end(),
                    [&](const RunGroup& group) { return contains_name(group.runs, run); })) {
      continue;
    }
    refuse_request(kGroupFlag, run + " is in no group", "add it to one, or leave the run out");
  }
  return groups;
}

MeasuredContexts measure_contexts(const ModelSource& source, const TokenFile& tokens,
                                  const EvaluationSettings& settings,
                                  const EffectiveContextRequest& request) {
  ContextSettings sweep;
  for (const int64_t context : request.contexts()) sweep.contexts.push_back(context - 1);
  sweep.mode = request.mode;
  sweep.stride = request.stride;
  sweep.evaluation = settings;
  ContextSweep swept = context_sweep(source, tokens, sweep);

  MeasuredContexts measured;
  measured.losses.parameters = source.model.parameters().count();
  measured.targets = swept.points.front().evaluation.scores.targets;
  for (ContextPoint& point : swept.points) {
    TokenScores scores = std::exchange(point.evaluation.scores, {});
    LC_CHECK(scores.targets == measured.targets);
    if (!std::all_of(scores.nll.begin(), scores.nll.end(),
                     [](double x) { return std::isfinite(x); })) {
      throw Error(ErrorKind::kData, "context " + std::to_string(point.context + 1),
                  "a loss of the model is not finite", "choose another checkpoint of the run");
    }
    measured.losses.nll.push_back(std::move(scores.nll));
  }
  measured.protocol = model_protocol(source.config);
  if (spans_memory(source.config)) measured.protocol["memory"] = "context";
  if (request.mode == ContextMode::kSpan) measured.protocol["span"] = "fixed";
  measured.protocol["segment"] = settings.segment_length;
  return measured;
}

EffectiveContextReport effective_context_report(const EffectiveContextRequest& request,
                                                const std::vector<RunGroup>& groups,
                                                const std::vector<MeasuredContexts>& runs) {
  EffectiveContextReport report{request.contexts(), {}, {}};
  const bool strict = request.mode == ContextMode::kStrict;
  report.protocol = {{"mode", name_of(request.mode)},
                     {"contexts",
                      {{"first", report.contexts.front()},
                       {"step", request.step},
                       {"longest", report.contexts.back()}}},
                     {"stride", strict ? nlohmann::json(request.stride) : nlohmann::json()},
                     {"smallest_gain", kSmallestGain},
                     {"targets", runs.front().targets.size()},
                     {"targets_from", runs.front().targets.front()}};
  for (const RunGroup& group : groups) {
    std::vector<ContextLosses> models;
    for (const std::string& name : group.runs) models.push_back(find_run(runs, name).losses);
    report.protocol["groups"][group.name] = group_protocol(group, models);
    report.groups.push_back(
        {group.name, effective_contexts(report.contexts, models, request.shares)});
  }
  for (const MeasuredContexts& run : runs) {
    LC_CHECK(run.targets == runs.front().targets);
    report.protocol["runs"][run.losses.run] = run.protocol;
  }
  return report;
}

nlohmann::json EffectiveContextReport::to_json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const GroupEffectiveContext& group : groups) {
    nlohmann::json members = nlohmann::json::array();
    for (const RunEffectiveContext& run : group.runs) members.push_back(run_lengths_json(run));
    list.push_back({{"name", group.name}, {"runs", std::move(members)}});
  }
  return {{"groups", std::move(list)}, {"protocol", protocol}};
}

}  // namespace lc

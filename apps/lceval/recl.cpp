#include "lceval/recl.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "common/value_checks.h"
#include "config/json_text.h"
#include "core/error.h"
#include "core/log.h"
#include "eval/comparison/compare.h"
#include "eval/number_list.h"
#include "lceval/each_run.h"
#include "lceval/output.h"
#include "lceval/runs.h"
#include "report/effective_context_text.h"
#include "report/table_results.h"

namespace lc {
namespace {

constexpr int64_t kStrictTargets = 1000;  // each costs a window at every context

// As typed.
struct ReclFlags {
  EffectiveContextRequest request;
  std::string shares;
  std::vector<std::string> groups;
};

void add_recl_flags(CLI::App& own, ReclFlags& flags) {
  EffectiveContextRequest& request = flags.request;
  own.add_option("--step", request.step, "Tokens from one context to the next (100)")
      ->check(whole_number_from(1))
      ->type_name("N");
  own.add_option("--longest", request.longest, "The longest context that is tried (1000)")
      ->check(whole_number_from(1))
      ->type_name("N");
  own.add_option("--first", request.first, "The shortest context (one step)")
      ->check(whole_number_from(1))
      ->type_name("N");
  own.add_option("--shares", flags.shares,
                 "Shares r of targets, the hardest for the group (0.1,0.5,1)")
      ->check(not_empty_list())
      ->type_name("LIST");
  own.add_option("--group", flags.groups,
                 "Runs of similar size, by name: --group small=a,b; may be repeated (all runs)")
      ->allow_extra_args(false)
      ->type_name("NAME=RUN,RUN");
}

EffectiveContextRequest recl_request(const ReclFlags& own, const EvalFlags& flags) {
  EffectiveContextRequest request = own.request;
  if (!own.shares.empty()) request.shares = parse_numbers(own.shares, "--shares", "share");
  request.mode = flags.request.mode;
  if (request.mode == ContextMode::kSpan && flags.request.stride) {
    throw Error(ErrorKind::kUsage, "--stride",
                "says nothing to --context-mode span, which has no windows", "leave it out");
  }
  request.stride = flags.request.stride.value_or(1);
  request.contexts();
  return request;
}

struct MeasuredRuns {
  std::vector<MeasuredContexts> runs;
  OwnFiles files;                   // of the first
  std::optional<NamedTokens> text;  // of the first
};

// Adds what all runs share to measured, or refuses the run that doesn't.
MeasuredContexts measure_run(const NamedRun& run, const EffectiveContextRequest& request,
                             const OptionTable& table, const EvalFlags& flags,
                             MeasuredRuns& measured) {
  const auto [ready, tokens, files] = with_text(run, table, flags);
  if (!measured.text) {
    measured.text = {run.name, tokens};
    measured.files = files;
  }
  require_same_tokens(*measured.text, {run.name, tokens});
  EvaluationSettings settings = requested_settings(ready.config, flags.request);
  check_segment_length(ready.config, segment_of(settings, flags.request));
  if (request.mode == ContextMode::kStrict && !settings.tokens) settings.tokens = kStrictTargets;
  log_info("measuring " + run.name);
  MeasuredContexts contexts =
      measure_contexts({table, ready.config, *ready.model}, tokens, settings, request);
  contexts.losses.run = run.name;
  contexts.protocol.update(ready.source);
  return contexts;
}

// One after the other, so that one model at a time is in memory.
MeasuredRuns measure_runs(const std::vector<NamedRun>& named,
                          const EffectiveContextRequest& request, const OptionTable& table,
                          const EvalFlags& flags) {
  MeasuredRuns measured;
  measured.runs = for_each_run<MeasuredContexts>(
      named, UselessRun::kRefused,
      [&](const NamedRun& run) { return measure_run(run, request, table, flags, measured); },
      [](const MeasuredContexts& first, const MeasuredContexts& run) {
        require_same_targets({first.losses.run, first.targets}, {run.losses.run, run.targets});
      });
  return measured;
}

void warn_of_sizes(const EffectiveContextReport& report) {
  for (const auto& [name, group] : report.protocol.at("groups").items()) {
    if (group.at("similar_size").get<bool>()) continue;
    log_warning(
        "the runs of group " + name +
        " differ in size by more than half: their lengths are relative to the best of them");
  }
}

void print_report(const EffectiveContextReport& report, const EvalFlags& flags) {
  if (flags.json) return print_result(json_text(report.to_json(), -1) + "\n");
  print_result(effective_context_table(report) + "\n");
  nlohmann::json shared = report.protocol;
  shared.erase("runs");
  shared.erase("groups");
  print_result("protocol: " + protocol_line(shared) + "\n");
  for (const auto& [name, run] : report.protocol.at("runs").items()) {
    print_protocol(name, run);
  }
}

void write_recl_files(const EffectiveContextReport& report, const MeasuredRuns& measured,
                      const EvalFlags& flags) {
  if (!flags.csv.empty()) write_result_file(flags.csv, effective_context_csv(report));
  if (!flags.plot.empty()) {
    write_result_file(flags.plot, svg_plot(effective_context_plot(report)));
  }
  const bool of_one_run = measured.runs.size() == 1;
  if (flags.out.empty() && !of_one_run) return;  // a comparison belongs to no run's folder
  const auto write = [&](const FilePlace& place) { return write_effective_context(report, place); };
  write_files_of_run(write, measured.files, flags);
}

void measure_recl(const ReclFlags& own, const OptionTable& table, const EvalFlags& flags) {
  const EffectiveContextRequest request = recl_request(own, flags);
  const std::vector<NamedRun> named = asked_runs(flags.checkpoints, table, flags);
  std::vector<std::string> names;
  for (const NamedRun& run : named) names.push_back(run.name);
  const std::vector<RunGroup> groups = parse_groups(own.groups, names);
  const MeasuredRuns measured = measure_runs(named, request, table, flags);
  const EffectiveContextReport report = effective_context_report(request, groups, measured.runs);
  warn_of_sizes(report);
  print_report(report, flags);
  write_recl_files(report, measured, flags);
}

}  // namespace

EvalVerb recl_verb() {
  const auto own_flags = std::make_shared<ReclFlags>();
  EvalVerb verb;
  verb.name = "recl";
  verb.says = "Relative effective context length of runs, in groups of similar size";
  verb.takes = {"--checkpoint", "--split",  "--data",  "--tokens", "--context-mode",
                "--segment",    "--stride", "--lanes", "--set",    kModelGroup,
                kMachineGroup,  "--json",   "--csv",   "--plot",   "--out"};
  verb.reason = "chooses its contexts by --first, --step and --longest";
  verb.add_flags = [own_flags](CLI::App& own) { add_recl_flags(own, *own_flags); };
  verb.run = [own_flags](const OptionTable& table, const EvalFlags& flags) {
    measure_recl(*own_flags, table, flags);
  };
  return verb;
}

}  // namespace lc

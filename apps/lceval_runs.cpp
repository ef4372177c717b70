#include "lceval_runs.h"

#include <algorithm>
#include <memory>
#include <set>

#include "checkpoint/checkpoint.h"
#include "common/load_run.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/log.h"
#include "eval/records.h"
#include "lceval_output.h"
#include "models/registry.h"
#include "report/report_files.h"
#include "report/table_results.h"
#include "train/resume.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

bool run_path(const fs::path& path) { return RunFolder(path).holds_run(); }

std::vector<fs::path> runs_at(const fs::path& path) {
  std::vector<fs::path> runs;
  if (!fs::is_directory(path) || run_path(path) || fs::exists(path / "state.json")) return {path};
  for (const auto& entry : fs::directory_iterator(path)) {
    if (RunFolder(entry.path()).holds_run()) runs.push_back(entry.path());
  }
  if (runs.empty()) {
    throw Error(ErrorKind::kData, path.string(), "is no run and holds none",
                "name a run folder, a step folder, or a folder of runs");
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

const ModelEntry& entry_of(const Config& config) {
  return model_entry(config.get<std::string>("model.type"));
}

// The values of flags; of several runs each takes those that its model has.
RuntimeValues runtime_values(const NamedRun& run, const Config& config, const EvalFlags& flags) {
  RuntimeValues values;
  for (const auto& [flag, value] : flags.runtime) {
    if (run.one_of_several && !entry_of(config).overrides.contains(flag)) {
      log_warning("--" + flag + " says nothing to " + run.name + ", a " + entry_of(config).type +
                  ": left out there");
      continue;
    }
    values[flag] = value;
  }
  return values;
}

std::string split_of(const LoadedRun& run, const std::string& asked) {
  std::vector<std::string> candidates = {"test", "valid"};
  if (run.splits.contains("text")) candidates = {"text"};
  if (!asked.empty()) candidates = {asked};
  for (const std::string& name : candidates) {
    if (run.splits.contains(name)) return name;
  }
  std::string have;
  for (const auto& [name, tokens] : run.splits) have += (have.empty() ? "" : ", ") + name;
  throw Error(
      ErrorKind::kData, "--split",
      run.folder.path().string() + " has no split \"" + candidates.back() + "\", only: " + have,
      "choose another split, or give a text with --data");
}

// How the step folder came to be taken.
std::string choice_of(const LoadedRun& run, const fs::path& named) {
  if (!run_path(named)) return "named";
  const std::optional<fs::path> best = run.folder.best();
  return best && fs::equivalent(*best, run.step_folder) ? "best" : "last";
}

// Whether the run is scored as it was trained, on the whole split: no flag changes its model, its
// precision, the text or what of it is scored, and no step was named. Lanes change no result.
bool as_trained(const EvalFlags& flags, const ReadyModel& ready) {
  const EvaluationRequest& request = flags.request;
  return !request.segment && !request.stride && !request.tokens && flags.runtime.empty() &&
         flags.settings.empty() && !flags.machine.precision && ready.source.at("chosen") != "named";
}

// A dynamic evaluation takes its statistics from the text that the run was trained on.
EvaluationRequest with_training_text(const EvaluationRequest& request, const LoadedRun& run) {
  EvaluationRequest changed = request;
  const auto train = run.splits.find("train");
  if (changed.dynamic && train != run.splits.end()) changed.dynamic->train = train->second;
  return changed;
}

std::vector<NamedRun> named_runs(const std::vector<std::string>& paths) {
  std::vector<NamedRun> runs;
  for (const std::string& path : paths) {
    for (const fs::path& found : runs_at(path)) {
      runs.push_back({fs::weakly_canonical(found).filename().string(), found});
      runs.back().of_folder = found != path;
    }
  }
  std::multiset<std::string> names;
  for (const NamedRun& run : runs) names.insert(run.name);
  for (NamedRun& run : runs) {
    if (names.count(run.name) > 1) run.name = run.path.string();
    run.one_of_several = runs.size() > 1;
  }
  return runs;
}

// Nothing of a run that may be left out, whose files are missing or damaged: using it will tell.
std::optional<Config> readable_config(const NamedRun& run, const OptionTable& table) {
  try {
    return read_stored_config(table, run_of(resolve_checkpoint(run.path)).config_file());
  } catch (const Error& error) {
    if (run.of_folder && error.kind() == ErrorKind::kData) return {};
    throw;
  }
}

// Error(kUsage) if a flag of runtime values is known to the model of none of these runs.
void check_runtime_flags(const std::vector<NamedRun>& runs, const OptionTable& table,
                         const EvalFlags& flags) {
  if (flags.runtime.empty()) return;
  std::set<std::string> unknown;
  for (const auto& [flag, value] : flags.runtime) unknown.insert(flag);
  for (const NamedRun& run : runs) {
    const std::optional<Config> config = readable_config(run, table);
    if (!config) return;  // its model may be one that has them
    for (const auto& [flag, path] : entry_of(*config).overrides) unknown.erase(flag);
  }
  if (unknown.empty()) return;
  throw Error(ErrorKind::kUsage, "--" + *unknown.begin(), "no model of these runs has such a value",
              "leave it out");
}

}  // namespace

std::vector<NamedRun> asked_runs(const std::vector<std::string>& paths, const OptionTable& table,
                                 const EvalFlags& flags) {
  std::vector<NamedRun> runs = named_runs(paths);
  check_runtime_flags(runs, table, flags);
  return runs;
}

NamedRun asked_run(const std::string& verb, const OptionTable& table, const EvalFlags& flags) {
  const std::vector<NamedRun> runs = asked_runs(flags.checkpoints, table, flags);
  if (runs.size() == 1) return runs.front();
  throw Error(ErrorKind::kUsage, verb,
              "takes one run, and " + std::to_string(runs.size()) + " are named",
              "call lceval once for each, with its folder in --checkpoint");
}

Config with_flags(const NamedRun& run, const OptionTable& table, const Config& config,
                  const EvalFlags& flags) {
  const Config changed = with_settings(table, config, flags.settings);
  return with_runtime_values(table, changed, runtime_values(run, changed, flags));
}

ReadyModel make_ready(LoadedRun loaded, const NamedRun& run, const OptionTable& table,
                      const EvalFlags& flags) {
  Config config = with_flags(run, table, loaded.config, flags);
  auto model = rebuild(*loaded.model, config);
  loaded.model.reset();
  nlohmann::json source{{"checkpoint", loaded.step_folder.string()},
                        {"chosen", choice_of(loaded, run.path)},
                        {"step", loaded.step},
                        {"precision", config.at("run.precision")},
                        {"command", flags.command}};
  return {std::move(loaded), std::move(config), std::move(model), std::move(source)};
}

ReadyRun with_text(const NamedRun& run, const OptionTable& table, const EvalFlags& flags) {
  RunRequest request{run.path, flags.machine};
  if (!flags.data.empty()) {
    request.text = OtherText{flags.data, flags.records.empty() ? Records::kFiles : Records::kLines};
  }
  ReadyModel ready = make_ready(load_run(table, request), run, table, flags);
  const std::string split = split_of(ready.loaded, flags.split);
  ready.source["split"] = split;
  if (!flags.data.empty()) ready.source["data"] = flags.data;
  TokenFile tokens = ready.loaded.splits.at(split);
  return {std::move(ready), std::move(tokens)};
}

EvaluatedRun evaluate_named(const NamedRun& run, const OptionTable& table, const EvalFlags& flags) {
  auto [ready, tokens] = with_text(run, table, flags);
  RunResult result = evaluate_run({table, ready.config, *ready.model}, tokens,
                                  with_training_text(flags.request, ready.loaded));
  result.name = run.name;
  result.source = ready.source;
  result.as_trained = as_trained(flags, ready);
  std::optional<TokenFile> train;
  const auto own = ready.loaded.splits.find("train");
  if (own != ready.loaded.splits.end()) train = own->second;
  return {std::move(result),      std::move(tokens),       ready.loaded.folder.evaluations(),
          ready.loaded.tokenizer, std::move(ready.config), std::move(train)};
}

TokenFile train_text(const EvaluatedRun& run) {
  if (run.train) return *run.train;
  const PreparedData data = prepare_data(run.config);
  const auto train = data.splits.find("train");
  const std::string place = "the train split of " + run.result.name;
  if (train == data.splits.end()) {
    throw Error(ErrorKind::kData, place, "isn't there: the run's config names none",
                "choose another way to slice than by frequency");
  }
  if (train->second.tokenizer_hash() != run.tokenizer->hash()) {
    throw Error(ErrorKind::kData, place, "has another tokenizer than the run was trained with",
                "give the data and tokenizer files that the run was trained with");
  }
  return train->second;
}

void score_records(const OptionTable& table, const EvalFlags& flags) {
  const NamedRun run = asked_run("--records", table, flags);
  const auto [ready, tokens] = with_text(run, table, flags);
  EvaluationSettings settings = requested_settings(ready.config, flags.request);
  check_segment_length(ready.config, segment_of(settings, flags.request));
  settings.boundaries = Boundaries::kReset;
  settings.lane_split = LaneSplit::kExact;
  const Evaluation evaluation = evaluate_split(*ready.model, tokens, settings);
  std::string lines;
  for (const nlohmann::json& object : record_objects(tokens, evaluation.scores)) {
    lines += json_text(object, -1) + "\n";
  }
  print_result(lines);
  if (!flags.out.empty()) {
    write_file_atomically(fs::path(flags.out) / "text_records.jsonl", lines);
  }
  nlohmann::json protocol = evaluation.protocol;
  protocol.update(ready.source);
  log_info("protocol: " + protocol_line(protocol));
}

}  // namespace lc

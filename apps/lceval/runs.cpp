#include "lceval/runs.h"

#include <algorithm>
#include <memory>
#include <set>

#include "checkpoint/checkpoint.h"
#include "common/load_run.h"
#include "config/json_text.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/log.h"
#include "eval/records.h"
#include "lceval/output.h"
#include "models/registry.h"
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

// Flags that say what the run is anyway change nothing.
bool scored_as_trained(const LoadedRun& run, const fs::path& named, const Config& config,
                       const EvaluationRequest& request) {
  return config.values() == run.config.values() &&
         config.get<std::string>("run.precision") == run.precision &&
         asks_as_trained(config, request) && choice_of(run, named) != "named";
}

// Dynamic evaluation by rms takes its statistics from the text that the run was trained on.
EvaluationRequest with_training_text(const EvaluationRequest& request, const LoadedRun& run) {
  EvaluationRequest changed = request;
  const auto train = run.splits.find("train");
  if (train == run.splits.end() || !changed.dynamic) return changed;
  if (changed.dynamic->step.rule != DynamicRule::kRms) return changed;
  require_own_text(run, "train", known_text(train->second),
                   "choose --dynamic sgd, which takes no statistics of it");
  changed.dynamic->train = train->second;
  return changed;
}

// Prepared now, where another text is scored.
TokenFile prepared_train(const ReadyModel& ready, const std::string& name) {
  const PreparedData data = prepare_data(ready.config);
  const auto train = data.splits.find("train");
  const std::string place = "the train split of " + name;
  if (train == data.splits.end()) {
    throw Error(ErrorKind::kData, place, "isn't there: the run's config names none",
                "choose another way to slice than by frequency");
  }
  if (train->second.tokenizer_hash() != ready.loaded.tokenizer->hash()) {
    throw Error(ErrorKind::kData, place, "has another tokenizer than the run was trained with",
                "give the data and tokenizer files that the run was trained with");
  }
  return train->second;
}

// None where it isn't asked for.
std::optional<TokenFile> train_text(const ReadyModel& ready, const std::string& name,
                                    TrainText asked) {
  if (asked == TrainText::kUnread) return {};
  std::optional<TokenFile> train;
  const auto own = ready.loaded.splits.find("train");
  if (own != ready.loaded.splits.end()) train = own->second;
  const bool always = asked == TrainText::kAlways;
  if (!train && always) train = prepared_train(ready, name);
  if (train) {
    require_own_text(ready.loaded, "train", known_text(*train),
                     always ? "choose another way to slice than by frequency"
                            : "compare on another text with --data");
  }
  return train;
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
  const bool as_trained = scored_as_trained(loaded, run.path, config, flags.request);
  return {std::move(loaded), std::move(config), std::move(model), std::move(source), as_trained};
}

ReadyRun with_text(const NamedRun& run, const OptionTable& table, const EvalFlags& flags) {
  RunRequest request{run.path, flags.machine};
  if (!flags.data.empty()) {
    request.text = OtherText{flags.data, flags.records.empty() ? Records::kFiles : Records::kLines};
  }
  ReadyModel ready = make_ready(load_run(table, request), run, table, flags);
  const std::string split = split_of(ready.loaded, flags.split);
  TokenFile tokens = ready.loaded.splits.at(split);
  const KnownText text = known_text(tokens);
  require_own_text(ready.loaded, split, text, "score another text with --data");
  ready.source["split"] = split;
  ready.source["text_hash"] = text.text_hash;
  if (!flags.data.empty()) ready.source["data"] = flags.data;
  OwnFiles files{ready.loaded.folder.evaluations(), split, ready.as_trained};
  return {std::move(ready), std::move(tokens), std::move(files)};
}

EvaluatedRun evaluate_named(const NamedRun& run, const OptionTable& table, const EvalFlags& flags,
                            TrainText train) {
  auto [ready, tokens, files] = with_text(run, table, flags);
  std::optional<TokenFile> train_tokens = train_text(ready, run.name, train);
  RunResult result = evaluate_run({table, ready.config, *ready.model}, tokens,
                                  with_training_text(flags.request, ready.loaded));
  result.name = run.name;
  result.source = ready.source;
  return {std::move(result), std::move(tokens), std::move(files), ready.loaded.tokenizer,
          std::move(train_tokens)};
}

void score_records(const OptionTable& table, const EvalFlags& flags) {
  const NamedRun run = asked_run("--records", table, flags);
  const auto [ready, tokens, files] = with_text(run, table, flags);
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

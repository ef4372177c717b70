// The runs that lceval was asked for, and the evaluation of one of them.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/load_run.h"
#include "config/option_table.h"
#include "data/token_file.h"
#include "eval/run_result.h"
#include "lceval/flags.h"
#include "report/file_place.h"

namespace lc {

struct NamedRun {
  std::string name;            // as it is shown: the folder's name where that is enough
  std::filesystem::path path;  // run folder or step folder
  bool one_of_several = false;
  bool of_folder = false;  // found in a folder of runs, not named itself
};

// Each path itself, or the runs in it if it is a folder of runs. Error(kData) for a path that is
// neither, Error(kUsage) if a flag of runtime values is known to the model of none of these runs.
std::vector<NamedRun> asked_runs(const std::vector<std::string>& paths, const OptionTable& table,
                                 const EvalFlags& flags);

// The one run of --checkpoint. Error(kUsage), naming the verb or flag that takes one, if there are
// several.
NamedRun asked_run(const std::string& verb, const OptionTable& table, const EvalFlags& flags);

// The run's config with the values that the flags ask for. Error(kUsage) if the model has no such
// value, or the table refuses it.
Config with_flags(const NamedRun& run, const OptionTable& table, const Config& config,
                  const EvalFlags& flags);

// A run with the values that the flags ask for.
struct ReadyModel {
  LoadedRun loaded;  // its model is the one below
  Config config;
  std::unique_ptr<LanguageModel> model;
  nlohmann::json source;  // checkpoint, chosen, step, precision, command
  bool as_trained;  // no flag changes the model or what of a split is scored, no step is named
};
// Error(kUsage) if the model has no such value, or refuses it.
ReadyModel make_ready(LoadedRun loaded, const NamedRun& run, const OptionTable& table,
                      const EvalFlags& flags);

// The same with the text that the flags ask for; its source also says split, data and text_hash.
struct ReadyRun {
  ReadyModel ready;
  TokenFile tokens;
  OwnFiles files;
};
// Errors as loading and preparing have them; Error(kData) for a split whose text isn't the one that
// the run was started with.
ReadyRun with_text(const NamedRun& run, const OptionTable& table, const EvalFlags& flags);

// Whether the run's train split is read beside what is scored: not at all, where the run's own
// splits are, or always, found in the cache or prepared anew where another text is scored.
enum class TrainText { kUnread, kOfOwnSplits, kAlways };

struct EvaluatedRun {
  RunResult result;
  TokenFile tokens;
  OwnFiles files;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::optional<TokenFile> train;  // where it was asked for, and is there
};
// Errors as loading, preparing and evaluating have them, their messages naming the run's files.
// Error(kData) if a train split that is read has changed since the run was started, or if one that
// is always read isn't there or has another tokenizer.
EvaluatedRun evaluate_named(const NamedRun& run, const OptionTable& table, const EvalFlags& flags,
                            TrainText train = TrainText::kUnread);

// One JSON object a line on stdout for each record; the protocol on stderr.
void score_records(const OptionTable& table, const EvalFlags& flags);

}  // namespace lc

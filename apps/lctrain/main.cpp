// lctrain: one JSON config in, a trained model out. Prepares its tokens by itself, resumes by
// itself.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "checkpoint/run_folder.h"
#include "common/app_main.h"
#include "common/full_option_table.h"
#include "common/load_run.h"
#include "common/output.h"
#include "common/value_checks.h"
#include "config/help_text.h"
#include "core/device.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/log.h"
#include "data/prepare.h"
#include "data/training_plan.h"
#include "eval/stream_evaluation.h"
#include "lctrain/folder.h"
#include "models/registry.h"
#include "report/footprint_results.h"
#include "train/dry_run.h"
#include "train/periodic_evaluation.h"
#include "train/trainer.h"

namespace lc {
namespace {

enum class Task { kTrain, kDryRun, kDumpConfig, kHelpConfig };

struct Request {
  std::string config_file;
  std::vector<std::string> overrides;  // "key=value"
  Task task = Task::kTrain;
  Start start = Start::kResume;
};

Request read_command_line(int argc, char** argv) {
  CLI::App app{
      "Trains a language model from a JSON config; run again, it resumes. Every key of a config\n"
      "stands under --help-config; --dry-run says what a training would take.\n"
      "Exit codes: 0 done; 1 run-time failure; 2 usage or config; 3 data or checkpoint; 4 out of "
      "memory; 5 diverged; 75 stopped by a signal or the time limit, state saved.",
      "lctrain"};
  Request request;
  std::string resume = "auto";
  MachineFlags machine;
  std::optional<std::string> out;
  std::optional<std::string> init_from;
  auto* config = app.add_option("--config", request.config_file, "The experiment, a JSON file");
  config->check(not_empty_path())->type_name("FILE");
  app.add_option("--set", request.overrides, "key=value over the file's, as often as you like")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app.add_option("--out", out, "The run's folder, instead of run.out_dir")
      ->check(not_empty_path())
      ->type_name("RUN");
  app.add_option("--init-from", init_from,
                 "Begin with the weights of this run or step folder (run.init_from)")
      ->check(not_empty_path())
      ->type_name("RUN");
  auto* resuming =
      app.add_option("--resume", resume,
                     "auto: go on where the folder's run stands; none: refuse one")
          ->check(CLI::IsMember({"auto", "none"}));
  bool restart = false;
  app.add_flag("--restart", restart, "Move the folder's run aside and start anew");
  bool dump = false;
  app.add_flag("--dump-config", dump, "Print the config with all defaults");
  bool dry = false;
  app.add_flag("--dry-run", dry, "Print parameters, bytes and steps; train nothing");
  bool help = false;
  app.add_flag("--help-config", help, "Print every key that a config may hold");
  add_machine_flags(app, machine);
  add_common_flags(app);
  parse_flags(app, argc, argv);
  if (restart && resuming->count() > 0) {
    throw Error(ErrorKind::kUsage, "--restart",
                "does not go with --resume " + resume +
                    ", which leaves the run where it stands in the folder",
                "leave one of them out");
  }

  if (help) {
    request.task = Task::kHelpConfig;
  } else if (config->count() == 0) {
    throw Error(ErrorKind::kUsage, "--config", "is missing", "name the experiment's JSON file");
  } else if (dump) {
    request.task = Task::kDumpConfig;
  } else if (dry) {
    request.task = Task::kDryRun;
  }
  if (resume == "none") request.start = Start::kRefuseExisting;
  if (restart) request.start = Start::kRestart;
  const auto also_set = [&](const char* key, const auto& value) {
    if (value) request.overrides.push_back(key + nlohmann::json(*value).dump());
  };
  also_set("run.device=", machine.device);
  also_set("run.threads=", machine.threads);
  also_set("run.precision=", machine.precision);
  also_set("run.out_dir=", out);
  also_set("run.init_from=", init_from);
  return request;
}

Config read_config(const OptionTable& table, const Request& request) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(request.config_file, unknown)) {
    throw Error(ErrorKind::kUsage, request.config_file, "there is no such config file",
                "name the experiment's JSON file");
  }
  return Config::read(table, read_file(request.config_file), request.config_file,
                      request.overrides);
}

// The lanes of the first epoch; what is to be said of them is said. Error(kData) where the text is
// too short for them.
LanePlan first_epoch(const TokenFile& tokens, const Config& config) {
  const TrainingPlanSettings settings = training_plan_settings(config);
  check_lanes(tokens, settings);
  LanePlan plan = training_plan(tokens, settings, 0);
  if (const auto note = short_lanes_note(plan)) log_warning(*note);
  return plan;
}

TrainingTexts texts_of(const PreparedData& data) {
  const auto split = [&](const char* name) -> std::optional<TokenFile> {
    const auto found = data.splits.find(name);
    if (found == data.splits.end()) return {};
    return found->second;
  };
  const auto train = split("train");
  if (!train) {
    throw Error(ErrorKind::kUsage, "data", "there is no train split",
                "give data.train, or a corpus that has one");
  }
  return {*train, split("valid"), split("test")};
}

// Faults of the config alone, before anything is touched.
TrainSettings checked_settings(const Config& config) {
  constexpr const char* kLength = "train.segment_length";
  check_segment_length(config, {config.get<int64_t>(kLength), kLength});
  check_training(config);
  training_plan_settings(config);
  return train_settings(config);
}

FootprintResult footprint_of(const LanguageModel& model, const Config& config, int64_t length,
                             MemoryUse use) {
  return {use == MemoryUse::kTraining ? "training" : "evaluation",
          config.get<std::string>("model.type"), length,
          config.get<int64_t>("data.sequence_segments"), model.footprint(length, use)};
}

// Under a config, and with a text where it is read.
struct Reading {
  const Config& config;
  const TokenFile* text;
};

// Memory of one lane, in training in segments of `length` and in evaluation.
std::string memory_text(const Config& config, int64_t length, const LanguageModel& model,
                        const Reading& evaluated) {
  ParameterSetup setup = model.parameters().setup();
  setup.device = at::kMeta;  // without storage
  const auto evaluating = build_model(evaluated.config, {model.vocab_size(), setup});
  const EvaluationSettings settings = evaluation_settings(evaluated.config);
  const int64_t evaluated_length =
      evaluated.text == nullptr
          ? settings.segment_length
          : plan_split(*evaluating, *evaluated.text, settings).plan.lanes.longest_segment();
  return footprint_table(
      {footprint_of(model, config, length, MemoryUse::kTraining),
       footprint_of(*evaluating, evaluated.config, evaluated_length, MemoryUse::kInference)});
}

bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto inside = std::filesystem::weakly_canonical(path).lexically_relative(
      std::filesystem::weakly_canonical(folder));
  return !inside.empty() && *inside.begin() != "..";
}

// Whether training begins with the weights of run.init_from: it goes on without them where the
// folder holds a checkpoint. What can't be begun with is refused before anything is prepared.
bool begins_with_weights(const Config& config, Start start) {
  constexpr const char* kFrom = "run.init_from";
  const RunFolder folder = RunFolder::of(config);
  const bool restarts = start == Start::kRestart;
  if (config.is_null(kFrom) || (folder.last() && !restarts)) return false;
  const auto step_folder = resolve_checkpoint(config.get<std::string>(kFrom));
  if (restarts && lies_in(step_folder, folder.path())) {
    throw Error(ErrorKind::kUsage, kFrom,
                step_folder.string() + " lies in the run that --restart moves aside",
                "choose another folder with --out for the new run");
  }
  return true;
}

std::string dry_run_text(const OptionTable& table, const Config& config, Start start) {
  const TrainSettings settings = checked_settings(config);
  const bool initialized = begins_with_weights(config, start);
  ParameterSetup setup = parameter_setup(config);
  setup.device = at::kCPU;
  const PreparedData data = prepare_data(config);
  const TrainingTexts texts = texts_of(data);
  const TokenFile& tokens = texts.train;
  const LanePlan lanes = first_epoch(tokens, config);
  const auto model = build_model(config, {tokens.vocab_size(), setup});
  if (initialized) begin_with_weights(table, config, *data.tokenizer, *model);
  const bool evaluates = settings.evaluate_every > 0 && texts.valid;
  const Config evaluated = evaluates ? periodic_config(table, config) : config;
  const SegmentStream epoch(tokens, lanes, 0, settings.loss);
  const Optimizer optimizer(config, optimized_parameters(model->parameters()));
  return dry_run(*model, epoch, settings, optimizer).text() + "memory\n" +
         memory_text(config, lanes.longest_segment(), *model,
                     {evaluated, evaluates ? &*texts.valid : nullptr});
}

int train(const OptionTable& table, const Config& config, Start start) {
  const TrainSettings settings = checked_settings(config);
  const ParameterSetup setup = parameter_setup(config);
  const bool initialized = begins_with_weights(config, start);
  RunFolder folder = RunFolder::of(config);
  clear_folder(folder, start);
  const RunLock lock(folder);
  const std::optional<StoredRun> stored = stored_run(table, config, folder);
  const bool evaluates = settings.evaluate_every > 0;
  if (stored && already_finished(settings, stored->state, evaluates)) return 0;

  const PreparedData data = prepare_data(config);
  const TrainingTexts texts = texts_of(data);
  if (stored && already_finished(settings, stored->state, evaluates && texts.valid)) return 0;
  const LanePlan lanes = first_epoch(texts.train, config);
  const auto model = build_model(config, {texts.train.vocab_size(), setup});
  Trainer trainer({table, config, *model, folder, texts});
  if (stored) {
    trainer.restore(stored->step_folder);
    report_changes(*stored, config, lanes);
  } else if (initialized) {
    begin_with_weights(table, config, *data.tokenizer, *model);
  }
  write_file_atomically(folder.config_file(), config.dump());
  store_tokenizer(folder, *data.tokenizer);
  log_info(std::to_string(model->parameters().count()) + " parameters on " +
           describe_device(model->device()) + ", " + std::to_string(texts.train.size()) +
           " tokens to train on; " +
           (stored ? "going on after step " + std::to_string(trainer.state().step) : "starting") +
           " in " + folder.path().string());
  trainer.run();
  log_info("finished: step " + std::to_string(trainer.state().step) + ", " +
           std::to_string(trainer.state().tokens) + " tokens, in " + folder.path().string());
  return 0;
}

int run(int argc, char** argv) {
  const Request request = read_command_line(argc, argv);
  const OptionTable table = full_option_table();
  if (request.task == Task::kHelpConfig) {
    print_result(help_text(table));
    return 0;
  }
  const Config config = read_config(table, request);
  switch (request.task) {
    case Task::kDumpConfig:
      print_result(config.dump());
      return 0;
    case Task::kDryRun:
      print_result(dry_run_text(table, config, request.start));
      return 0;
    default:
      return train(table, config, request.start);
  }
}

}  // namespace
}  // namespace lc

int main(int argc, char** argv) { return lc::run_app(argc, argv, lc::run); }

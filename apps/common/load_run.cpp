#include "common/load_run.h"

#include <ATen/Parallel.h>

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "common/value_checks.h"
#include "core/device.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/log.h"
#include "core/shell_word.h"
#include "models/architecture.h"
#include "nn/token_bins.h"
#include "train/resume.h"

namespace lc {
namespace fs = std::filesystem;
namespace {

Config config_of_run(const OptionTable& table, const RunFolder& folder) {
  if (!folder.holds_run()) {
    throw Error(ErrorKind::kData, folder.config_file().string(), "there is no config of the run",
                "name a step folder that still lies in its run folder");
  }
  return read_stored_config(table, folder.config_file());
}

std::unique_ptr<LanguageModel> model_with_weights(const Config& config, int64_t vocab_size,
                                                  const Checkpoint& checkpoint,
                                                  const fs::path& step_folder) {
  auto model = build_model(config, {vocab_size, parameter_setup(config)});
  model->parameters().load(checkpoint.model, step_folder.string());
  model->after_update();
  return model;
}

using Architecture = std::map<std::string, nlohmann::json>;

// Weights of the right names and shapes compute something else under other settings.
void check_architecture(const Architecture& theirs, const Architecture& ours,
                        const fs::path& step_folder) {
  std::string differences;
  std::string settings;
  for (const auto& [path, value] : theirs) {
    const auto own = ours.find(path);
    if (own == ours.end() || own->second == value) continue;
    differences += (differences.empty() ? "" : ", ") + path + ": " + value.dump() + " -> " +
                   own->second.dump();
    const std::string typed = value.is_string() ? value.get<std::string>() : value.dump();
    settings += " --set " + shell_word(path + "=" + typed);
  }
  if (differences.empty()) return;
  throw Error(ErrorKind::kUsage, "run.init_from",
              "the weights of " + step_folder.string() +
                  " are of a model with other values: " + differences,
              "train the same model, with" + settings + ", or begin with other weights");
}

[[noreturn]] void refuse_without_text(const fs::path& run, bool has_vocabulary) {
  if (has_vocabulary) {
    throw Error(ErrorKind::kData, run.string(), "names no text of its own", "give one with --data");
  }
  throw Error(ErrorKind::kData, run.string(),
              "has no vocabulary, and names no text that would tell it",
              "import its weights again, with --vocab FILE or the text, --set data.path=...");
}

enum class Texts { kNone, kAsAsked };

LoadedRun load(const OptionTable& table, const RunRequest& request, Texts texts) {
  const fs::path step_folder = resolve_checkpoint(request.checkpoint);
  const RunFolder folder = run_of(step_folder);
  const Config stored = config_of_run(table, folder);
  Config config = with_machine_flags(table, stored, request.flags);
  const Checkpoint checkpoint = load_checkpoint(step_folder, CheckpointParts::kWeights);

  std::shared_ptr<const Tokenizer> tokenizer = stored_tokenizer(folder);
  const std::string trained = !checkpoint.tokenizer_hash.empty() ? checkpoint.tokenizer_hash
                              : tokenizer                        ? tokenizer->hash()
                                                                 : "";
  std::map<std::string, TokenFile> splits;
  const bool own_texts = texts == Texts::kAsAsked && !request.text;
  if (own_texts || !tokenizer) {
    if (!names_text(config)) refuse_without_text(request.checkpoint, tokenizer != nullptr);
    PreparedData data = prepare_data(config);
    tokenizer = data.tokenizer;
    if (own_texts) splits = std::move(data.splits);
  }
  check_tokenizer(step_folder, trained, tokenizer->hash());
  if (texts == Texts::kAsAsked && request.text) {
    splits.emplace("text",
                   prepare_text(config, *tokenizer, request.text->path, request.text->records));
  }
  auto model = model_with_weights(config, tokenizer->vocab_size(), checkpoint, step_folder);
  log_info("checkpoint " + step_folder.string() + " on " + describe_device(model->device()));
  return {folder,
          step_folder,
          step_of(step_folder).value_or(0),
          std::move(config),
          stored.get<std::string>("run.precision"),
          std::move(model),
          std::move(tokenizer),
          std::move(splits),
          texts_in(checkpoint.state, step_folder.string())};
}

// Where the config has a split from: "data.valid valid.txt", "data.path enwik8".
std::string origin_of(const Config& config, const std::string& split) {
  const std::string listed = "data." + split;
  if (!config.is_null(listed)) {
    std::string files;
    for (const auto& file : config.get<std::vector<std::string>>(listed)) {
      files += (files.empty() ? " " : ", ") + file;
    }
    return listed + files;
  }
  const std::string place = config.is_null("data.path") ? "data.corpus" : "data.path";
  return place + " " + config.get<std::string>(place);
}

}  // namespace

void add_machine_flags(CLI::App& app, MachineFlags& flags) {
  app.add_option("--device", flags.device, "auto, cpu, cuda or cuda:N, instead of the run's own");
  app.add_option("--threads", flags.threads, "Threads of the CPU")->check(whole_number_from(1));
  app.add_option("--precision", flags.precision, "Type of weights and arithmetic")
      ->check(CLI::IsMember({"float32", "float64"}));
}

Config with_machine_flags(const OptionTable& table, const Config& config,
                          const MachineFlags& flags) {
  Config result = config;
  if (flags.device) result = result.with(table, "run.device", *flags.device);
  if (flags.threads) result = result.with(table, "run.threads", *flags.threads);
  if (flags.precision) result = result.with(table, "run.precision", *flags.precision);
  return result;
}

ParameterSetup parameter_setup(const Config& config) {
  if (!config.is_null("run.threads")) at::set_num_threads(config.get<int>("run.threads"));
  const bool wide = config.get<std::string>("run.precision") == "float64";
  return {wide ? at::kDouble : at::kFloat, parse_device(config.get<std::string>("run.device")),
          config.get<uint64_t>("run.seed")};
}

LoadedRun load_run(const OptionTable& table, const RunRequest& request) {
  return load(table, request, Texts::kAsAsked);
}

void require_own_text(const LoadedRun& run, const std::string& split, const KnownText& text,
                      const std::string& otherwise) {
  const std::string change = text_change(run.texts, split, text);
  if (change.empty()) return;
  throw Error(ErrorKind::kData,
              "the " + split + " split of " + run.folder.path().string() + " (" +
                  origin_of(run.config, split) + ")",
              change, "put the text back, or " + otherwise);
}

RunOutline outline_run(const OptionTable& table, const RunRequest& request) {
  const fs::path step_folder = resolve_checkpoint(request.checkpoint);
  const RunFolder folder = run_of(step_folder);
  Config config = with_machine_flags(table, config_of_run(table, folder), request.flags);
  const std::shared_ptr<const Tokenizer> tokenizer = stored_tokenizer(folder);
  const int64_t vocab_size =
      tokenizer ? tokenizer->vocab_size()
                : vocab_size_of(load_checkpoint(step_folder, CheckpointParts::kWeights).model);
  return {folder, std::move(config), vocab_size};
}

LoadedRun load_model(const OptionTable& table, const RunRequest& request) {
  return load(table, request, Texts::kNone);
}

void begin_with_weights(const OptionTable& table, const Config& config, const Tokenizer& tokenizer,
                        LanguageModel& model) {
  const fs::path step_folder = resolve_checkpoint(config.get<std::string>("run.init_from"));
  const Config trained = config_of_run(table, run_of(step_folder));
  const Checkpoint stored = load_checkpoint(step_folder, CheckpointParts::kWeights);
  check_architecture(architecture_of(trained, vocab_size_of(stored.model)),
                     architecture_of(config, tokenizer.vocab_size()), step_folder);
  model.parameters().load(stored.model, step_folder.string());
  model.after_update();
  log_info("beginning with the weights of " + step_folder.string());
  if (stored.tokenizer_hash.empty() || stored.tokenizer_hash == tokenizer.hash()) return;
  log_warning("the weights of " + step_folder.string() +
              " were trained with another tokenizer: their tokens meant other texts");
}

void store_tokenizer(const RunFolder& folder, const Tokenizer& tokenizer) {
  write_file_atomically(folder.tokenizer_file(), tokenizer.content());
}

std::shared_ptr<const Tokenizer> stored_tokenizer(const RunFolder& folder) {
  if (!fs::exists(folder.tokenizer_file())) return nullptr;
  return make_tokenizer(read_file(folder.tokenizer_file()), folder.tokenizer_file().string());
}

void check_tokenizer(const fs::path& step_folder, const std::string& trained,
                     const std::string& found) {
  if (trained.empty() || trained == found) return;
  throw Error(ErrorKind::kData, step_folder.string(),
              "the checkpoint was trained with tokenizer " + trained.substr(0, 12) +
                  ", and the data has tokenizer " + found.substr(0, 12),
              "give the data and tokenizer files that the run was trained with");
}

}  // namespace lc

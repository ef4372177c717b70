#include "lcprep/export.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "checkpoint/checkpoint.h"
#include "checkpoint/foreign/foreign_checkpoint.h"
#include "common/full_option_table.h"
#include "common/load_run.h"
#include "common/value_checks.h"
#include "core/error.h"
#include "core/file_io.h"
#include "data/tokenizers/vocabulary_file.h"
#include "train/resume.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

// Its file's name; null: the run has none.
nlohmann::json write_vocabulary(const Tokenizer* tokenizer, const fs::path& folder) {
  if (tokenizer == nullptr) return nullptr;
  const VocabularyFile vocabulary = vocabulary_file(*tokenizer);
  write_file_atomically(folder / vocabulary.name, vocabulary.content);
  return vocabulary.name;
}

}  // namespace

CLI::App* add_export(CLI::App& app, ExportFlags& flags) {
  CLI::App* command =
      app.add_subcommand("export", "A run's weights and config in the form of another code");
  command
      ->add_option("--format", flags.format,
                   "For whom, and what the config is: " + foreign_formats_help(ForeignUse::kWrite))
      ->required();
  command
      ->add_option("--checkpoint", flags.checkpoint, "Run folder (best, else last), or step folder")
      ->required()
      ->check(not_empty_path())
      ->type_name("RUN");
  command
      ->add_option("--out", flags.out,
                   "The folder to write config.json, model.safetensors and the vocabulary to")
      ->required()
      ->check(not_empty_path())
      ->type_name("FOLDER");
  command->add_flag_callback(
      "--json", [&flags] { flags.form = PrintForm::kJson; }, "Print one JSON object");
  return command;
}

nlohmann::json export_checkpoint(const ExportFlags& flags) {
  if (fs::exists(flags.out) && !(fs::is_directory(flags.out) && fs::is_empty(flags.out))) {
    throw Error(ErrorKind::kUsage, flags.out, "is there already, and isn't an empty folder",
                "choose another one with --out");
  }
  const fs::path step_folder = resolve_checkpoint(flags.checkpoint);
  const RunFolder run = run_of(step_folder);
  const Config config = read_stored_config(full_option_table(), run.config_file());
  const Checkpoint checkpoint = load_checkpoint(step_folder, CheckpointParts::kWeights);
  const auto tokenizer = stored_tokenizer(run);
  if (tokenizer) check_tokenizer(step_folder, checkpoint.tokenizer_hash, tokenizer->hash());
  write_foreign_checkpoint(flags.format, config, checkpoint.model, flags.out);
  return {{"checkpoint", step_folder.string()},
          {"format", flags.format},
          {"folder", flags.out},
          {"vocabulary", write_vocabulary(tokenizer.get(), flags.out)}};
}

}  // namespace lc

#include "lcprep/import.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "checkpoint/checkpoint.h"
#include "checkpoint/foreign/foreign_checkpoint.h"
#include "common/full_option_table.h"
#include "common/load_run.h"
#include "common/value_checks.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/log.h"
#include "data/prepare.h"
#include "data/tokenizers/vocabulary_file.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

using SharedTokenizer = std::shared_ptr<const Tokenizer>;

// The key of data.tokenizer that names a file of such a tokenizer; "": there is none.
std::string file_key(const Tokenizer& tokenizer) {
  if (tokenizer.type() == "word") return "vocab_file";
  return tokenizer.type() == "sentencepiece" ? "model" : "";
}

// Where the file is kept in the run, so that the run's config can name it.
fs::path vocabulary_copy(const ImportFlags& flags, const Tokenizer& tokenizer) {
  const fs::path name = vocabulary_file(tokenizer).name;
  return fs::absolute(fs::path(flags.out) / ("vocabulary" + name.extension().string()))
      .lexically_normal();
}

// What the vocabulary says of section data.
nlohmann::json data_section(const ImportFlags& flags, const SharedTokenizer& vocabulary) {
  if (vocabulary == nullptr) return nlohmann::json::object();
  nlohmann::json tokenizer{{"type", vocabulary->type()}};
  const std::string key = file_key(*vocabulary);
  if (!key.empty()) tokenizer[key] = vocabulary_copy(flags, *vocabulary).string();
  const bool by_frequency = vocabulary->description().value("protocol", "") == "reference";
  return {{"tokenizer", tokenizer}, {"protocol", by_frequency ? "reference" : "exact"}};
}

SharedTokenizer read_vocabulary(const OptionTable& table, const ImportFlags& flags) {
  if (flags.vocabulary.empty()) return nullptr;
  const Config asked = Config::read(table, "{}", "--set", flags.overrides);
  return tokenizer_of_vocabulary(flags.vocabulary,
                                 asked.get<std::string>("data.tokenizer.unknown") == "unk"
                                     ? UnknownWords::kReplaced
                                     : UnknownWords::kRefused);
}

bool names_vocabulary_copy(const ImportFlags& flags, const Config& config,
                           const SharedTokenizer& vocabulary) {
  const std::string key = vocabulary == nullptr ? "" : file_key(*vocabulary);
  return !key.empty() &&
         config.at("data.tokenizer." + key) == vocabulary_copy(flags, *vocabulary).string();
}

// The vocabulary's, or that of the run's text; where the text has symbols of its own, both must be
// the same. Null: none is known.
SharedTokenizer agreed_tokenizer(const ImportFlags& flags, const Config& config,
                                 SharedTokenizer vocabulary) {
  if (!names_text(config) || names_vocabulary_copy(flags, config, vocabulary)) return vocabulary;
  SharedTokenizer of_text = prepare_tokenizer(config);
  if (vocabulary != nullptr && vocabulary->hash() != of_text->hash()) {
    throw Error(ErrorKind::kData, flags.vocabulary,
                "has other tokens, or other ids, than the text that section data names",
                "leave out --vocab, or name the text and the data.protocol that it was made from");
  }
  return of_text;
}

void check_size(const ImportFlags& flags, const SharedTokenizer& tokenizer, int64_t vocab_size) {
  if (tokenizer == nullptr) {
    return log_warning(
        "no vocabulary is known: the weights can begin a training with --init-from, but neither "
        "lceval nor lcgen can read a text with them; give --vocab FILE, or the text with --set "
        "data.path=...");
  }
  if (tokenizer->vocab_size() == vocab_size) return;
  throw Error(ErrorKind::kData, flags.vocabulary.empty() ? "data.tokenizer" : flags.vocabulary,
              "has " + std::to_string(tokenizer->vocab_size()) +
                  " tokens, and the weights are for " + std::to_string(vocab_size),
              "give the vocabulary that the model was trained with");
}

Config imported_config(const OptionTable& table, const ImportFlags& flags,
                       const ForeignSettings& settings, const SharedTokenizer& vocabulary) {
  nlohmann::json sections = settings.sections;
  sections["run"] = {{"name", RunFolder(flags.out).path().filename().string()},
                     {"out_dir", flags.out}};
  sections["data"] = data_section(flags, vocabulary);
  return Config::read(table, sections.dump(), flags.config, flags.overrides);
}

void warn_of_segment(const ImportFlags& flags, const ForeignSettings& settings,
                     const Config& config) {
  constexpr const char* kLength = "train.segment_length";
  if (settings.absent_segment.empty() || config.given(kLength)) return;
  log_warning(
      flags.config + " has no " + settings.absent_segment +
      ", so the segment length, on which losses depend, isn't known: " + config.at(kLength).dump() +
      " is taken; give another with --set " + kLength + "=N here, or with lceval --segment");
}

void write_run(const ImportFlags& flags, const Config& config, const SharedTokenizer& tokenizer,
               NamedTensors weights) {
  RunFolder folder(flags.out);
  const RunLock lock(folder);
  if (names_vocabulary_copy(flags, config, tokenizer)) {
    write_file_atomically(vocabulary_copy(flags, *tokenizer), vocabulary_file(*tokenizer).content);
  }
  if (tokenizer != nullptr) store_tokenizer(folder, *tokenizer);
  write_file_atomically(folder.config_file(), config.dump());
  Checkpoint checkpoint;
  checkpoint.model = std::move(weights);
  checkpoint.state = {{kImportedState, {{"format", flags.format}, {"weights", flags.weights}}}};
  if (tokenizer != nullptr) checkpoint.tokenizer_hash = tokenizer->hash();
  save_checkpoint(folder, 0, checkpoint);
}

}  // namespace

CLI::App* add_import(CLI::App& app, ImportFlags& flags) {
  CLI::App* command = app.add_subcommand(
      "import", "Weights of another code into a run folder for lceval, lcgen and --init-from");
  command
      ->add_option(
          "--format", flags.format,
          "Whose they are, and what --config is: " + foreign_formats_help(ForeignUse::kRead))
      ->required();
  command->add_option("--weights", flags.weights, "Their state dict as safetensors")
      ->required()
      ->check(not_empty_path())
      ->type_name("FILE");
  command->add_option("--config", flags.config, "Their config, a JSON file")
      ->required()
      ->check(not_empty_path())
      ->type_name("FILE");
  command->add_option("--out", flags.out, "The run folder to make")
      ->required()
      ->check(not_empty_path())
      ->type_name("RUN");
  command
      ->add_option(
          "--vocab", flags.vocabulary,
          "Their vocabulary: one token a line in the order of ids, JSON, or a SentencePiece "
          "NAME.model")
      ->check(not_empty_path())
      ->type_name("FILE");
  command
      ->add_option("--set", flags.overrides,
                   "key=value of the run's config, such as data.path; as often as you like")
      ->allow_extra_args(false);
  command->add_flag_callback(
      "--json", [&flags] { flags.form = PrintForm::kJson; }, "Print one JSON object");
  return command;
}

nlohmann::json import_checkpoint(const ImportFlags& flags) {
  if (!RunFolder(flags.out).empty()) {
    throw Error(ErrorKind::kUsage, flags.out, "the folder isn't empty",
                "choose another one with --out");
  }
  const OptionTable table = full_option_table();
  const ForeignSettings settings = read_foreign_config(flags.format, flags.config);
  const SharedTokenizer vocabulary = read_vocabulary(table, flags);
  const Config config = imported_config(table, flags, settings, vocabulary);
  warn_of_segment(flags, settings, config);
  NamedTensors weights =
      read_foreign_weights(flags.format, config, settings.vocab_size, flags.weights);
  int64_t parameters = 0;
  for (const auto& [name, tensor] : weights) parameters += tensor.numel();
  const SharedTokenizer tokenizer = agreed_tokenizer(flags, config, vocabulary);
  check_size(flags, tokenizer, settings.vocab_size);
  write_run(flags, config, tokenizer, std::move(weights));
  return {{"run", flags.out},
          {"format", flags.format},
          {"model", config.at("model.type")},
          {"parameters", parameters},
          {"vocab_size", settings.vocab_size},
          {"tokenizer", tokenizer == nullptr ? nlohmann::json() : tokenizer->description()}};
}

}  // namespace lc

// lcprep: prepares a corpus or a tokenizer by hand, shows what is in a token file, and takes
// weights of other codes in and gives them out.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/app_main.h"
#include "common/command_help.h"
#include "common/full_option_table.h"
#include "common/output.h"
#include "common/value_checks.h"
#include "core/error.h"
#include "core/file_io.h"
#include "data/prepare.h"
#include "data/tokenizers/vocabulary_file.h"
#include "lcprep/export.h"
#include "lcprep/import.h"
#include "lcprep/output.h"

namespace lc {
namespace {

enum class Task { kPrepare, kInfo, kTokenizer, kImport, kExport };

struct Request {
  Task task = Task::kPrepare;
  PrintForm form = PrintForm::kText;
  ImportFlags imported;
  ExportFlags exported;
  std::string config_file;
  std::vector<std::string> overrides;
  std::string token_file;
  std::string tokenizer_out;
  std::optional<std::string> encode;
};

void add_config_flags(CLI::App& app, Request& request) {
  app.add_option("--config", request.config_file, "The experiment, a JSON file")
      ->check(not_empty_path())
      ->type_name("FILE");
  app.add_option("--set", request.overrides, "key=value over the file's, as often as you like")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
}

[[noreturn]] void refuse_flag(const std::string& flag, const std::string& task) {
  throw Error(ErrorKind::kUsage, flag, "does not go with " + task,
              "leave it out, or call lcprep twice");
}

// The flags of the program that each command takes too.
bool is_of_messages(const CLI::Option& flag) { return flag.get_group() == kMessageGroup; }

// Error(kUsage) for a flag that what is asked for doesn't look at.
void check_flags_of_task(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    for (const char* flag : {"--config", "--set", "--info", "--json"}) {
      if (app.count(flag) == 0) continue;
      if (command->get_option_no_throw(flag) == nullptr) {
        refuse_flag(flag, "the command " + command->get_name());
      }
      throw Error(ErrorKind::kUsage, flag,
                  "stands before the command " + command->get_name() + ", which has its own",
                  "write it after " + command->get_name());
    }
  }
  for (const char* flag : {"--config", "--set"}) {
    if (app.count("--info") == 0 || app.count(flag) == 0) continue;
    refuse_flag(flag, "--info, which reads a token file alone");
  }
}

Request read_command_line(int argc, char** argv) {
  CLI::App app{
      "Prepares the texts of a config (lctrain does the same by itself), shows token files, and "
      "imports and exports weights.\n"
      "Exit codes: 0 done; 1 run-time failure; 2 usage or config; 3 data or checkpoint missing or "
      "bad.",
      "lcprep"};
  Request request;
  add_common_flags(app);
  add_config_flags(app, request);
  auto* info = app.add_option("--info", request.token_file, "Show what a token file holds");
  info->check(not_empty_path())->type_name("FILE");
  bool json = false;
  app.add_flag("--json", json, "Print one JSON object");
  auto* tokenizer =
      app.add_subcommand("tokenizer", "Make the config's tokenizer alone, write it, try it");
  add_config_flags(*tokenizer, request);
  tokenizer
      ->add_option(
          "--out", request.tokenizer_out,
          "Write it: a .model for SentencePiece, else one word, or number of a byte, a line")
      ->check(not_empty_path())
      ->type_name("FILE");
  tokenizer->add_option("--encode", request.encode, "Show the tokens of this text");
  bool tokenizer_json = false;
  tokenizer->add_flag("--json", tokenizer_json, "Print one JSON object");
  CLI::App* importing = add_import(app, request.imported);
  CLI::App* exporting = add_export(app, request.exported);
  for (CLI::App* command : {tokenizer, importing, exporting}) {
    command->fallthrough();
    list_flags_of_program(*command, is_of_messages);
  }
  app.require_subcommand(0, 1);
  parse_flags(app, argc, argv, [&app](const CLI::Option& flag) {
    return app.get_subcommands().empty() || is_of_messages(flag);
  });
  check_flags_of_task(app);
  if (info->count() > 0) request.task = Task::kInfo;
  if (tokenizer->parsed()) request.task = Task::kTokenizer;
  if (importing->parsed()) request.task = Task::kImport;
  if (exporting->parsed()) request.task = Task::kExport;
  if (json || tokenizer_json) request.form = PrintForm::kJson;
  const bool of_config = request.task == Task::kPrepare || request.task == Task::kTokenizer;
  if (of_config && request.config_file.empty() && request.overrides.empty()) {
    throw Error(ErrorKind::kUsage, "--config", "is missing, and so is --set",
                "name the experiment's JSON file, or give keys such as --set data.path=FILE");
  }
  return request;
}

Config read_config(const Request& request) {
  const std::string& file = request.config_file;
  std::error_code unknown;
  if (!file.empty() && !std::filesystem::is_regular_file(file, unknown)) {
    throw Error(ErrorKind::kUsage, file, "there is no such config file",
                "name the experiment's JSON file");
  }
  return Config::read(full_option_table(), file.empty() ? "{}" : read_file(file),
                      file.empty() ? "--set" : file, request.overrides);
}

// The header with the size of the vocabulary, or of its documents, spelled out.
nlohmann::json token_file_info(const TokenFile& tokens) {
  nlohmann::json info = tokens.header();
  nlohmann::json documents = nlohmann::json::array();
  for (const DocumentInfo& document : tokens.documents()) {
    documents.push_back({{"name", document.name},
                         {"first_token", document.first_token},
                         {"tokens", document.tokens},
                         {"bytes", document.bytes},
                         {"characters", document.characters},
                         {"words", document.words}});
    const nlohmann::json about = tokens.about(document);
    if (about.is_object()) documents.back().update(about);
  }
  info.erase("about");
  info["documents"] = std::move(documents);
  return info;
}

void show_token_file(const Request& request) {
  nlohmann::json info = token_file_info(TokenFile::open(request.token_file));
  if (request.form == PrintForm::kText) info["documents"] = info["documents"].size();
  print_object(info, request.form);
}

void prepare(const Request& request) {
  const PreparedData data = prepare_data(read_config(request));
  nlohmann::json splits = nlohmann::json::object();
  for (const auto& [split, tokens] : data.splits) {
    splits[split] = tokens.header().at("counts");
    splits[split]["file"] = (data.folder / (split + ".lctok")).string();
    splits[split]["official"] = tokens.header().at("official");
    splits[split]["lossless"] = tokens.header().at("lossless");
    splits[split]["unknown"] = tokens.header().at("unknown");
  }
  const nlohmann::json tokenizer = data.tokenizer->description();
  if (request.form == PrintForm::kJson) {
    print_object({{"splits", splits}, {"tokenizer", tokenizer}, {"cached", data.cached}},
                 request.form);
    return;
  }
  std::ostringstream text;
  for (const auto& [split, counts] : splits.items()) {
    text << std::left << std::setw(6) << split << std::right;
    for (const auto& [unit, width] :
         {std::pair{"tokens", 12}, {"documents", 8}, {"bytes", 12}, {"words", 12}}) {
      text << ' ' << std::setw(width) << counts.at(unit).dump() << ' ' << unit;
    }
    text << "  " << value_text(counts.at("file")) << '\n';
  }
  text << "tokenizer " << value_text(tokenizer.at("type")) << ", "
       << tokenizer.at("vocab_size").dump() << " tokens\n";
  print_result(text.str());
}

void make_tokenizer_alone(const Request& request) {
  const auto tokenizer = prepare_tokenizer(read_config(request));
  nlohmann::json object = tokenizer->description();
  object["hash"] = tokenizer->hash();
  if (!request.tokenizer_out.empty()) {
    write_file_atomically(request.tokenizer_out, vocabulary_file(*tokenizer).content);
    object["file"] = request.tokenizer_out;
  }
  if (request.encode) {
    object["ids"] = tokenizer->encode(*request.encode);
    object["tokens"] = nlohmann::json::array();
    for (const auto& id : object["ids"]) {
      object["tokens"].push_back(tokenizer->token_text(id.get<int64_t>()));
    }
  }
  print_object(object, request.form);
}

int run(int argc, char** argv) {
  const Request request = read_command_line(argc, argv);
  switch (request.task) {
    case Task::kInfo:
      show_token_file(request);
      break;
    case Task::kTokenizer:
      make_tokenizer_alone(request);
      break;
    case Task::kPrepare:
      prepare(request);
      break;
    case Task::kImport:
      print_object(import_checkpoint(request.imported), request.imported.form);
      break;
    case Task::kExport:
      print_object(export_checkpoint(request.exported), request.exported.form);
      break;
  }
  return 0;
}

}  // namespace
}  // namespace lc

int main(int argc, char** argv) { return lc::run_app(argc, argv, lc::run); }

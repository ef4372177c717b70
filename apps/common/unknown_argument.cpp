#include "common/unknown_argument.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <vector>

#include "config/nearest_name.h"
#include "core/error.h"
#include "core/shell_word.h"

namespace lc {
namespace {

const CLI::App& command_of(const CLI::App& app) {
  const auto called = app.get_subcommands();
  return called.empty() ? app : *called.front();
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// The first flag, since what else is left may be its value, or the first word; "": there is none.
std::string first_unknown(const CLI::App& app) {
  std::string word;
  for (const std::string& left : app.remaining(true)) {
    if (left == "--") continue;
    if (left.starts_with("-")) return left;
    if (word.empty()) word = left;
  }
  return word;
}

void offer_names(const CLI::Option& flag, NearestName& nearest) {
  for (const std::string& name : flag.get_lnames()) nearest.offer("--" + name);
}

std::string nearest_flag(const CLI::App& app, const std::string& flag, const TakesFlag& takes) {
  const CLI::App& command = command_of(app);
  NearestName nearest(flag);
  for (const CLI::Option* known : command.get_options()) {
    if (&command != &app || takes(*known)) offer_names(*known, nearest);
  }
  if (&command == &app || !command.get_fallthrough()) return nearest.best();
  for (const CLI::Option* known : app.get_options()) {
    if (takes(*known)) offer_names(*known, nearest);
  }
  return nearest.best();
}

// "lceval slices", of which it is a flag; "": of none.
std::string owner_of(const CLI::App& app, const std::string& flag) {
  for (const CLI::App* command : commands_of(app)) {
    if (command->get_option_no_throw(flag) == nullptr) continue;
    return app.get_name() + " " + command->get_name();
  }
  return app.get_option_no_throw(flag) == nullptr ? "" : app.get_name();
}

[[noreturn]] void refuse_flag_of_none(const CLI::App& app, const std::string& argument,
                                      const TakesFlag& takes) {
  const std::string flag = argument.substr(0, argument.find('='));
  const std::string command = called_command(app);
  const std::string owner = owner_of(app, flag);
  if (owner == command) {
    throw Error(ErrorKind::kUsage, flag, "stands before the command that it belongs to",
                "write it after " + command);
  }
  if (!owner.empty()) {
    throw Error(ErrorKind::kUsage, flag, "is no flag of " + command + ", but one of " + owner,
                "see " + owner + " --help");
  }
  const std::string nearest = nearest_flag(app, flag, takes);
  throw Error(ErrorKind::kUsage, flag, "is no flag of " + command,
              nearest.empty() ? "see " + command + " --help" : "did you mean " + nearest + "?");
}

// The flag that a word is likely to be the value of; "": there is none.
std::string flag_of_word(const CLI::App& command, const std::string& word) {
  std::error_code unknown;
  const bool folder = std::filesystem::is_directory(word, unknown);
  for (const auto& [flag, fits] :
       {std::pair{"--checkpoint", folder}, {"--config", word.ends_with(".json")}}) {
    if (fits && command.get_option_no_throw(flag) != nullptr) return flag;
  }
  return "";
}

// "" where a command was called already.
std::string nearest_command(const CLI::App& app, const std::string& word) {
  if (&command_of(app) != &app) return "";
  NearestName nearest(word);
  for (const CLI::App* known : commands_of(app)) nearest.offer(known->get_name());
  return nearest.best();
}

[[noreturn]] void refuse_word(const CLI::App& app, const std::string& word) {
  if (const std::string command = nearest_command(app, word); !command.empty()) {
    throw Error(ErrorKind::kUsage, word, "is no command of " + app.get_name(),
                "did you mean " + command + "?");
  }
  if (const std::string flag = flag_of_word(command_of(app), word); !flag.empty()) {
    throw Error(ErrorKind::kUsage, word, "stands without a flag",
                "did you mean " + flag + " " + shell_word(word) + "?");
  }
  throw Error(ErrorKind::kUsage, word, "is the value of no flag of " + called_command(app),
              "see " + called_command(app) + " --help");
}

}  // namespace

std::string called_command(const CLI::App& app) {
  const CLI::App& command = command_of(app);
  return &command == &app ? app.get_name() : app.get_name() + " " + command.get_name();
}

void refuse_unknown_argument(const CLI::App& app, const TakesFlag& takes) {
  const std::string argument = first_unknown(app);
  if (argument.empty()) return;
  if (argument.starts_with("-")) refuse_flag_of_none(app, argument, takes);
  refuse_word(app, argument);
}

}  // namespace lc

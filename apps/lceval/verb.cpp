#include "lceval/verb.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "common/app_main.h"
#include "common/command_help.h"
#include "config/nearest_name.h"
#include "core/error.h"

namespace lc {
namespace {

bool is_flag(const EvalVerb& verb) { return verb.name.starts_with("--"); }

}  // namespace

void add_verbs(CLI::App& app, const std::vector<EvalVerb>& verbs) {
  app.require_subcommand(0, 1);
  for (const EvalVerb& verb : verbs) {
    if (is_flag(verb)) {
      app.add_flag(verb.name, verb.says);
      continue;
    }
    CLI::App* own = app.add_subcommand(verb.name, verb.says);
    if (verb.add_flags) verb.add_flags(*own);
    own->fallthrough();
    list_flags_of_program(*own,
                          [&verb](const CLI::Option& flag) { return takes_flag(verb, flag); });
  }
}

const EvalVerb* called_verb(const CLI::App& app, const std::vector<EvalVerb>& verbs) {
  const EvalVerb* by_flag = nullptr;
  for (const EvalVerb& verb : verbs) {
    if (!is_flag(verb) && app.got_subcommand(verb.name)) return &verb;
    if (is_flag(verb) && app.count(verb.name) > 0) by_flag = &verb;
  }
  return by_flag;
}

bool takes_flag(const EvalVerb& verb, const CLI::Option& flag) {
  const std::string& group = flag.get_group();
  return group == kMessageGroup || verb.takes.contains(flag.get_name()) ||
         verb.takes.contains(group);
}

void refuse_misspelt_verb(const std::vector<std::string>& paths,
                          const std::vector<EvalVerb>& verbs) {
  for (const std::string& path : paths) {
    std::error_code unknown;
    if (std::filesystem::exists(path, unknown) || path.find('/') != std::string::npos) continue;
    NearestName nearest(path);
    for (const EvalVerb& verb : verbs) {
      if (!is_flag(verb)) nearest.offer(verb.name);
    }
    if (nearest.best().empty()) continue;
    throw Error(ErrorKind::kUsage, path, "is neither a run nor a command of lceval",
                "did you mean lceval " + nearest.best() + "?");
  }
}

void check_verb_flags(const CLI::App& app, const EvalVerb& verb) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || name == verb.name || takes_flag(verb, *option)) continue;
    throw Error(ErrorKind::kUsage, name, "does not go with " + verb.name + ", which " + verb.reason,
                "leave it out, or call lceval twice");
  }
  if (verb.takes.contains("--checkpoint") && app.count("--checkpoint") == 0) refuse_without_run();
}

}  // namespace lc

#include "lceval_verb.h"

#include <CLI/CLI.hpp>

#include "core/error.h"

namespace lc {
namespace {

bool is_flag(const EvalVerb& verb) { return verb.name.starts_with("--"); }

}  // namespace

void add_verbs(CLI::App& app, const std::vector<EvalVerb>& verbs, const EvalVerb*& chosen) {
  app.require_subcommand(0, 1);
  for (const EvalVerb& verb : verbs) {
    const auto choose = [&chosen, &verb] { chosen = &verb; };
    if (is_flag(verb)) {
      app.add_flag_callback(verb.name, choose, verb.says);
      continue;
    }
    CLI::App* own = app.add_subcommand(verb.name, verb.says);
    if (verb.add_flags) verb.add_flags(*own);
    own->fallthrough();
    own->callback(choose);
  }
}

void check_verb_flags(const CLI::App& app, const EvalVerb& verb) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    const std::string& group = option->get_group();
    if (option->count() == 0 || name == verb.name || group == kMachineGroup) continue;
    if (verb.takes.contains(name) || verb.takes.contains(group)) continue;
    throw Error(ErrorKind::kUsage, name, "does not go with " + verb.name + ", which " + verb.reason,
                "leave it out, or call lceval twice");
  }
  if (verb.takes.contains("--checkpoint") && app.count("--checkpoint") == 0) refuse_without_run();
}

}  // namespace lc

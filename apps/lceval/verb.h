// What lceval does beside the plain evaluation: `lceval VERB ...`, each in a file of its own.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "config/option_table.h"
#include "lceval/flags.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lc {

struct EvalVerb {
  std::string name;  // the word on the command line; "--flag" for one that is called by a flag
  std::string says;  // its help
  // The general flags, or whole groups of them, that say something to it, and are shown in its
  // help; messages always do. Any other that is given is refused.
  std::set<std::string> takes;
  bool out_is_file = false;  // of --out, which is a folder else
  std::string reason;  // why it takes no others: "makes its own prompts", in a sentence about it
  // Adds flags of its own, which a verb that is called by a flag has none of. May be empty.
  std::function<void(CLI::App& own)> add_flags;
  std::function<void(const OptionTable& table, const EvalFlags& flags)> run;
};

// All of them, in the order of the help.
std::vector<EvalVerb> eval_verbs();

// Adds the verbs, which outlive app, to the command line.
void add_verbs(CLI::App& app, const std::vector<EvalVerb>& verbs);

// The one that is called, as far as app has been parsed; null: none.
const EvalVerb* called_verb(const CLI::App& app, const std::vector<EvalVerb>& verbs);

bool takes_flag(const EvalVerb& verb, const CLI::Option& flag);

// Error(kUsage) for one of the paths that isn't there and is a verb misspelt.
void refuse_misspelt_verb(const std::vector<std::string>& paths,
                          const std::vector<EvalVerb>& verbs);

// Once the command line is parsed. Error(kUsage) for a general flag that the verb doesn't take, or
// for a run that is missing.
void check_verb_flags(const CLI::App& app, const EvalVerb& verb);

}  // namespace lc

// What every program shares: exit codes, one line for each error, --version, flags of logging.
#pragma once

#include <functional>
#include <string>

#include "common/unknown_argument.h"

namespace lc {

// Runs body and turns what it throws into the documented exit code and one message on stderr:
// Error its kind's code, a path that can't be looked at 3, out of memory 4, anything else 1.
// Without an exception: body's own.
int run_app(int argc, char** argv, const std::function<int(int argc, char** argv)>& body);

// Their group in the help.
inline constexpr const char* kMessageGroup = "Messages";
// --version, --quiet (warnings and errors only, no progress bar), --log-level, --no-progress.
void add_common_flags(CLI::App& app);

// Parses the command line. --help and --version print to stdout and end the program with code 0
// (through run_app); a fault of the command line is an Error(kUsage). takes: which of app's flags
// the command that is called takes, so that no other is offered for a misspelt one.
void parse_flags(
    CLI::App& app, int argc, char** argv,
    const TakesFlag& takes = [](const CLI::Option&) { return true; });

std::string version_text();

// The program's name and its arguments, quoted so that a shell reads them back.
std::string command_line(int argc, char** argv);

}  // namespace lc

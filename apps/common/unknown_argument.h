// What is meant by an argument that a command line doesn't know.
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lc {

// Whether the command that was called takes a flag of the whole program.
using TakesFlag = std::function<bool(const CLI::Option& flag)>;

// "lceval slices": the program with the command that was called, as far as app has been parsed.
std::string called_command(const CLI::App& app);

// Once app has been parsed, or parsing was given up: Error(kUsage) for an argument that it doesn't
// know, with the flag or command most like it, or the flag or command that it belongs to.
void refuse_unknown_argument(const CLI::App& app, const TakesFlag& takes);

}  // namespace lc

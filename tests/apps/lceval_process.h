// Starts lceval as users do, for the tests of the program.
#pragma once

#include <string>
#include <vector>

#include "apps/lctrain_process.h"

namespace lceval {

using lctrain::Json;
using lctrain::Workplace;
namespace fs = std::filesystem;

// Trains; fails the test where training does. A small Transformer-XL and a windowed model, on the
// same text, in runs/xl and runs/vanilla.
void train(const Workplace& place, const std::string& name, const Json& config);
void train_xl(const Workplace& place);
void train_vanilla(const Workplace& place);
// One of each model, in runs/xl, vanilla, compressive and infini: 2 layers, 2 heads of 8, segments
// of 16. Few steps from weights so large that whatever a model remembers shows in its losses.
void train_zoo(const Workplace& place);

// Any of the programs, by its name.
lctrain::Result run_program(const Workplace& place, const std::string& program,
                            const std::vector<std::string>& arguments);
lctrain::Result run_lceval(const Workplace& place, const std::vector<std::string>& arguments);
// Exit code 0 is required; stdout as JSON.
Json json_of(const Workplace& place, std::vector<std::string> arguments);
// Of an answer about several.
const Json& run_named(const Json& json, const std::string& name);
// That exit code is required and stdout must be empty; the message on stderr, one line.
std::string refusal(const Workplace& place, int exit_code,
                    const std::vector<std::string>& arguments);

void write(const fs::path& file, const std::string& content);

}  // namespace lceval

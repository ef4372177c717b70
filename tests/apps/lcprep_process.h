// Exports and imports of runs as users make them, for the tests of lcprep.
#pragma once

#include <string>
#include <vector>

#include "apps/lceval_process.h"

namespace lcprep {

using lceval::Json;
using lceval::run_program;
using lceval::Workplace;
namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part);

// A trained run in runs/xl, exported to the folder exported, and a list of the bytes.
void export_run(const Workplace& place);

// The arguments that import what lies in the folder exported.
std::vector<std::string> importing(const std::vector<std::string>& more);

// Exit code and message.
std::string refusal_of(const Workplace& place, const std::vector<std::string>& arguments);

}  // namespace lcprep

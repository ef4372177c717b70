// A passkey grid as people and programs read it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eval/passkey/grid.h"
#include "report/file_place.h"
#include "report/svg/heat_map.h"

namespace lc {

// One row a cell, scores in per cent; chance under it.
std::string passkey_table(const PasskeyGrid& grid);

// format, length, depth, ... as the keys of a cell, the scores with memory zeroed prefixed with
// "memory_zeroed_", then chance_digit and chance_exact.
std::string passkey_csv(const PasskeyGrid& grid);

// Digit accuracy by length and depth; below it, of a model with memory, the same with memory
// zeroed. name: of the run.
HeatMap passkey_heat_map(const PasskeyGrid& grid, const std::string& name);

// BEGIN_FORMAT.json, .csv and .svg; the folder is made if absent. Returns the files written.
std::vector<std::filesystem::path> write_passkey_report(const PasskeyGrid& grid,
                                                        const std::string& name,
                                                        const FilePlace& place);

}  // namespace lc

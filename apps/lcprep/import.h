// lcprep import: weights of another code into a run folder.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lcprep/output.h"

namespace CLI {
class App;
}

namespace lc {

struct ImportFlags {
  std::string format;
  std::string weights;
  std::string config;
  std::string out;
  std::string vocabulary;              // empty: none
  std::vector<std::string> overrides;  // "key=value"
  PrintForm form = PrintForm::kText;
};

CLI::App* add_import(CLI::App& app, ImportFlags& flags);

// Writes the run folder, and tells what it made. Errors: kUsage for a folder that isn't empty and
// for an unknown format, kData for files that are absent, damaged or don't fit each other.
nlohmann::json import_checkpoint(const ImportFlags& flags);

}  // namespace lc

// lcprep export: a run's weights in the form of another code.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lcprep/output.h"

namespace CLI {
class App;
}

namespace lc {

struct ExportFlags {
  std::string format;
  std::string checkpoint;
  std::string out;
  PrintForm form = PrintForm::kText;
};

CLI::App* add_export(CLI::App& app, ExportFlags& flags);

// Writes OUT/config.json, OUT/model.safetensors and, where the run has one, its vocabulary, and
// tells what it wrote. Errors: kUsage for a format that can't say what the model is and for a
// folder that isn't empty, kData for a checkpoint that is absent or damaged.
nlohmann::json export_checkpoint(const ExportFlags& flags);

}  // namespace lc

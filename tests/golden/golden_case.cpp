#include "golden/golden_case.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "checkpoint/safetensors.h"
#include "core/file_io.h"

namespace golden {
namespace fs = std::filesystem;
namespace {

// Cases of the positions family go by the beginning of their names.
const std::vector<std::string> kCoveredFamilies{"transformer_xl", "vanilla",   "compressive",
                                                "infini",         "positions", "passkey",
                                                "checkpoints"};
const std::vector<std::string> kCoveredPositions{"alibi",          "rotary_scores_shifted",
                                                 "rotary_table",   "shaw",
                                                 "sinusoid_table", "t5_bias",
                                                 "t5_buckets",     "xl_relative"};
const std::vector<std::string> kLaterPositions{"scaled_rotary", "rerope", "log_n"};

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool begins_with_one(const std::vector<std::string>& beginnings, const std::string& name) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const std::string& beginning) { return name.starts_with(beginning); });
}

// The nearest folder at or above the case, up to the root itself, that names a family.
std::string family_of(const fs::path& root, fs::path folder) {
  const fs::path stop = fs::absolute(root).lexically_normal().parent_path();
  for (folder = fs::absolute(folder).lexically_normal(); folder != stop && folder.has_filename();
       folder = folder.parent_path()) {
    const std::string name = folder.filename().string();
    if (holds(kCoveredFamilies, name)) return name;
  }
  return "";
}

bool is_case(const fs::path& folder) {
  // The passkey family is one folder of plain files.
  return fs::exists(folder / "case.json") ||
         (folder.filename() == "passkey" && fs::exists(folder / "prompts.jsonl"));
}

}  // namespace

const at::Tensor& Case::tensor(const std::string& tensor_name) const {
  const auto found = tensors.find(tensor_name);
  if (found == tensors.end()) throw std::out_of_range(name + " has no tensor " + tensor_name);
  return found->second;
}

std::vector<std::pair<std::string, at::Tensor>> Case::weights() const {
  std::vector<std::pair<std::string, at::Tensor>> result;
  for (const auto& entry : json.at("tensors")) {
    if (entry.at("role") == "weight") {
      const auto tensor_name = entry.at("name").get<std::string>();
      result.emplace_back(tensor_name, tensor(tensor_name));
    }
  }
  return result;
}

std::vector<fs::path> roots() {
  std::vector<fs::path> result{fs::path(LC_SOURCE_DIR) / "tests/golden/data"};
  if (const char* variable = std::getenv("LC_GOLDEN_DIR")) {
    std::istringstream list(variable);
    for (std::string folder; std::getline(list, folder, ':');) {
      if (!folder.empty()) result.emplace_back(folder);
    }
  }
  return result;
}

std::vector<Location> find_cases(const std::vector<fs::path>& search_roots) {
  std::vector<Location> cases;
  for (const fs::path& root : search_roots) {
    if (!fs::is_directory(root)) {
      throw std::runtime_error("the golden folder " + root.string() + " is absent");
    }
    const size_t before = cases.size();
    std::vector<fs::path> folders{root};
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.is_directory()) folders.push_back(entry.path());
    }
    for (const fs::path& folder : folders) {
      if (is_case(folder)) cases.push_back({family_of(root, folder), folder});
    }
    if (cases.size() == before) {
      throw std::runtime_error("the golden folder " + root.string() + " holds no case");
    }
  }
  std::sort(cases.begin(), cases.end(),
            [](const Location& a, const Location& b) { return a.folder < b.folder; });
  return cases;
}

Coverage coverage(const Location& location) {
  if (!holds(kCoveredFamilies, location.family)) return Coverage::kUnknown;
  if (location.family != "positions") return Coverage::kCovered;
  const std::string name = location.folder.filename().string();
  if (begins_with_one(kLaterPositions, name)) return Coverage::kLater;
  return begins_with_one(kCoveredPositions, name) ? Coverage::kCovered : Coverage::kUnknown;
}

Case load_case(const Location& location) {
  Case golden;
  golden.family = location.family;
  golden.folder = location.folder;
  golden.name = location.folder.filename().string();
  golden.json = nlohmann::json::parse(lc::read_file(location.folder / "case.json"));
  // Of a trained model there are weights and its figures alone.
  if (!fs::exists(location.folder / "tensors.safetensors") &&
      fs::exists(location.folder / "model.safetensors")) {
    return golden;
  }
  const auto file = lc::read_safetensors(location.folder / "tensors.safetensors");
  for (const auto& [name, tensor] : file.tensors) golden.tensors.emplace(name, tensor);
  return golden;
}

}  // namespace golden

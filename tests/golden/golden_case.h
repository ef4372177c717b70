// Golden cases: folders with case.json and tensors.safetensors, found in tests/golden/data and in
// every folder of LC_GOLDEN_DIR (colon-separated). A case belongs to the family that its path
// names; a case of a family or kind that nobody registered is a failure.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace golden {

struct Case {
  std::string family;
  std::string name;
  std::filesystem::path folder;
  nlohmann::json json;
  std::map<std::string, at::Tensor> tensors;

  const at::Tensor& tensor(const std::string& tensor_name) const;  // absent: std::out_of_range
  bool has(const std::string& tensor_name) const { return tensors.count(tensor_name) > 0; }
  // Tensors whose role is "weight", under their own names.
  std::vector<std::pair<std::string, at::Tensor>> weights() const;
};

// Where a case stands, before it is loaded.
struct Location {
  std::string family;  // empty: no folder above it names a family
  std::filesystem::path folder;
};

// All case folders. A root that is absent or holds no case throws std::runtime_error.
std::vector<Location> find_cases(const std::vector<std::filesystem::path>& roots);
// tests/golden/data and the folders of LC_GOLDEN_DIR.
std::vector<std::filesystem::path> roots();
Case load_case(const Location& location);

// What is registered of a family.
enum class Coverage { kCovered, kLater, kUnknown };
Coverage coverage(const Location& location);

using Runner = std::function<void(const Case&, at::ScalarType)>;
void run_transformer_xl(const Case& golden, at::ScalarType dtype);
void run_vanilla(const Case& golden, at::ScalarType dtype);
void run_compressive(const Case& golden, at::ScalarType dtype);
void run_infini(const Case& golden, at::ScalarType dtype);
void run_positions(const Case& golden, at::ScalarType dtype);
// Whole checkpoints of other codes: small random ones on tokens of the case, and trained ones on
// texts from LC_DATA_DIR. Each passes over the other's cases.
void run_checkpoint_tokens(const Case& golden, at::ScalarType dtype);
void run_checkpoint_texts(const Case& golden, at::ScalarType dtype);
// The passkey family is one folder of plain files: prompts and samples, no tensors.
void run_passkey(const std::filesystem::path& folder);

}  // namespace golden

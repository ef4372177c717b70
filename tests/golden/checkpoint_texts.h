// The texts that golden checkpoints were trained and scored on, cut as their README says, in a
// folder of its own, with the config that prepares them.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/temporary_folder.h"

namespace golden {

class CheckpointTexts {
 public:
  // kind: "checkpoint_char", "checkpoint_word". vocabulary: symbols in the order of ids.
  CheckpointTexts(const std::string& kind, const std::vector<std::string>& vocabulary);

  // Whether LC_DATA_DIR has them.
  bool found() const { return !data_.is_null(); }
  // Section "data": raw text, the product's tokenizer, splits.
  const nlohmann::json& data() const { return data_; }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  lc::TemporaryFolder folder_;
  nlohmann::json data_;
};

}  // namespace golden

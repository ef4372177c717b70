// How another code writes a model of this zoo: its config, and its names of tensors. A model's
// entry lists the formats that it knows; importing and exporting need no more than these tables.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace lc {

enum class RowOrder { kSame, kReversed };

// A tensor of theirs: some parameters of ours one above the other in its rows, or a constant.
struct ForeignTensor {
  // More than one: all hold the same values, of which a file may lack some but not all.
  std::vector<std::string> names;
  std::vector<std::string> ours;    // blocks of equally many rows; empty: a constant
  at::Tensor constant = {};         // what a file holds beside parameters, if it holds it
  RowOrder rows = RowOrder::kSame;  // reversed: their last row is our first
};

// What their config describes.
struct ForeignSettings {
  nlohmann::json sections;  // of a config of ours: {"model": {...}, "train": {...}}
  int64_t vocab_size;
  // The key that would tell the segment length, where losses depend on one and theirs has none.
  std::string absent_segment = {};
};

struct ForeignDialect {
  std::string format;  // "huggingface"
  std::string says;    // whose code, and what its config is: for help texts
  // Error(kData) where a key is missing, mistyped, or asks for what the model can't be.
  ForeignSettings (*read)(const nlohmann::json& theirs, const std::string& source);
  // All tensors of theirs, for a model of ours.
  std::vector<ForeignTensor> (*tensors)(const Config& config, int64_t vocab_size);
  // Their config for a model of ours; Error(kUsage) where theirs can't be the same. Null: the
  // format is read only.
  nlohmann::json (*write)(const Config& config, int64_t vocab_size) = nullptr;
};

// Whole numbers that a key of theirs may have.
struct WholeRange {
  int64_t least;
  int64_t most;
};

// Reads a config of theirs, key by key, null as absent. Faults are Error(kData) with file and key.
class ForeignKeys {
 public:
  // Where theirs has no value the defaults of their code count.
  ForeignKeys(const nlohmann::json& theirs, const nlohmann::json& defaults, std::string source);

  bool has(std::string_view key) const { return values_.contains(key); }
  // A number without fraction; keys: names of the same value, the first that is there counts.
  int64_t integer(const std::vector<std::string>& keys, WholeRange range) const;
  double number(const std::string& key) const;
  bool flag(const std::string& key) const;
  std::string text(const std::string& key) const;
  std::vector<int64_t> integers(const std::string& key) const;
  std::vector<bool> flags(const std::string& key) const;
  [[noreturn]] void refuse(const std::string& key, const std::string& remedy) const;

 private:
  const nlohmann::json& at(const std::string& key) const;

  nlohmann::json values_;
  std::string source_;
};

}  // namespace lc

#include "models/foreign.h"

#include <limits>
#include <optional>
#include <utility>

#include "core/error.h"

namespace lc {
namespace {

// None: a number with a fraction, one that int64 can't hold, or no number.
std::optional<int64_t> whole_number(const nlohmann::json& value) {
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && value.get<uint64_t>() > kMost) return std::nullopt;
  return value.get<int64_t>();
}

}  // namespace

ForeignKeys::ForeignKeys(const nlohmann::json& theirs, const nlohmann::json& defaults,
                         std::string source)
    : values_(defaults), source_(std::move(source)) {
  for (const auto& [key, value] : theirs.items()) {
    if (!value.is_null()) values_[key] = value;
  }
}

void ForeignKeys::refuse(const std::string& key, const std::string& remedy) const {
  throw Error(ErrorKind::kData, source_ + ", " + key,
              values_.contains(key) ? "can't be " + values_.at(key).dump() : "is missing", remedy);
}

const nlohmann::json& ForeignKeys::at(const std::string& key) const {
  if (!has(key)) refuse(key, "give the config that the weights were trained with");
  return values_.at(key);
}

int64_t ForeignKeys::integer(const std::vector<std::string>& keys, WholeRange range) const {
  std::string present = keys.front();
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    if (has(*key)) present = *key;
  }
  const std::optional<int64_t> value = whole_number(at(present));
  if (!value || *value < range.least || *value > range.most) {
    refuse(present, "give a whole number from " + std::to_string(range.least) + " to " +
                        std::to_string(range.most));
  }
  return *value;
}

double ForeignKeys::number(const std::string& key) const {
  if (!at(key).is_number()) refuse(key, "give a number");
  return at(key).get<double>();
}

bool ForeignKeys::flag(const std::string& key) const {
  if (!at(key).is_boolean()) refuse(key, "give true or false");
  return at(key).get<bool>();
}

std::string ForeignKeys::text(const std::string& key) const {
  if (!at(key).is_string()) refuse(key, "give a text");
  return at(key).get<std::string>();
}

std::vector<int64_t> ForeignKeys::integers(const std::string& key) const {
  std::vector<int64_t> list;
  if (!at(key).is_array()) refuse(key, "give a list of whole numbers");
  for (const auto& one : at(key)) {
    const std::optional<int64_t> value = whole_number(one);
    if (!value) refuse(key, "give a list of whole numbers");
    list.push_back(*value);
  }
  return list;
}

std::vector<bool> ForeignKeys::flags(const std::string& key) const {
  std::vector<bool> list;
  if (!at(key).is_array()) refuse(key, "give a list of true and false");
  for (const auto& value : at(key)) {
    if (!value.is_boolean()) refuse(key, "give a list of true and false");
    list.push_back(value.get<bool>());
  }
  return list;
}

}  // namespace lc

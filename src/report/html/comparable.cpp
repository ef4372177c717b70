#include "report/html/comparable.h"

namespace lc {
namespace {

bool same(const ResultTrait& trait, const nlohmann::json& a, const nlohmann::json& b) {
  return a == b || (trait.may_be_unknown && (a.is_null() || b.is_null()));
}

}  // namespace

const std::vector<ResultTrait>& text_traits() {
  static const std::vector<ResultTrait> traits = {{"text", "/protocol/text_hash", true},
                                                  {"tokenizer", "/protocol/tokenizer_hash"},
                                                  {"number of tokens", "/tokens_total"},
                                                  {"split", "/protocol/split"},
                                                  {"data", "/protocol/data"}};
  return traits;
}

std::vector<nlohmann::json> values_of(const std::vector<ResultTrait>& traits,
                                      const nlohmann::json& result) {
  std::vector<nlohmann::json> values;
  for (const ResultTrait& trait : traits) {
    const nlohmann::json::json_pointer place(trait.place);
    values.push_back(result.contains(place) ? result.at(place) : nlohmann::json());
  }
  return values;
}

std::string differing_traits(const std::vector<ResultTrait>& traits,
                             const std::vector<nlohmann::json>& a,
                             const std::vector<nlohmann::json>& b) {
  std::string names;
  for (size_t i = 0; i < traits.size(); ++i) {
    if (!same(traits[i], a[i], b[i]))
      names.append(names.empty() ? "" : ", ").append(traits[i].name);
  }
  return names;
}

}  // namespace lc

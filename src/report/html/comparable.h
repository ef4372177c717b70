// What two results must have in common for their numbers to be compared.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lc {

struct ResultTrait {
  const char* name;
  const char* place;            // in a result, as a JSON pointer
  bool may_be_unknown = false;  // older results don't say: then it is no difference
};

// The text that was scored.
const std::vector<ResultTrait>& text_traits();

// The result's values of them, null where it says nothing.
std::vector<nlohmann::json> values_of(const std::vector<ResultTrait>& traits,
                                      const nlohmann::json& result);
// The names of those that differ: "tokenizer, number of tokens"; empty: none.
std::string differing_traits(const std::vector<ResultTrait>& traits,
                             const std::vector<nlohmann::json>& a,
                             const std::vector<nlohmann::json>& b);

}  // namespace lc

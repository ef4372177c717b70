// What decides, beside the weights themselves, the function that a model computes.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "config/config.h"

namespace lc {

// The value of every row of scope architecture that says something to the model that config
// describes, by path; where a value is null, what it stands for. Rows that only training reads are
// left out, and so is the type: weights that fit may go on with another memory. Error(kUsage) where
// the values don't fit each other or the vocabulary.
std::map<std::string, nlohmann::json> architecture_of(const Config& config, int64_t vocab_size);

}  // namespace lc

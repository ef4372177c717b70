// Models and segments of golden cases.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/segment.h"
#include "models/registry.h"

namespace golden {

// A config of section "model" alone.
lc::Config model_config(const nlohmann::json& model);
std::unique_ptr<lc::LanguageModel> build(const nlohmann::json& model, int64_t vocab_size,
                                         at::ScalarType dtype);

// Reference names of a case's weights -> ours. A list: one tensor is cut into equal row blocks.
using NameMap = std::function<std::vector<std::string>(const std::string&)>;
void load_weights(lc::LanguageModel& model,
                  const std::vector<std::pair<std::string, at::Tensor>>& weights,
                  const NameMap& names);
// A reference tensor's counterpart, from a function of our parameters (value or gradient).
at::Tensor gather(const lc::LanguageModel& model, const std::vector<std::string>& names,
                  const std::function<at::Tensor(const lc::Parameter&)>& read);

// A segment of whole, valid lanes. starts: every lane begins anew.
enum class Begin { kAnew, kGoesOn };
lc::Segment segment(const at::Tensor& inputs_BT, const at::Tensor& targets_BT, Begin begin);

}  // namespace golden

#include "golden/golden_model.h"

#include <ATen/ATen.h>

#include <numeric>
#include <stdexcept>

namespace golden {

lc::Config model_config(const nlohmann::json& model) {
  lc::OptionTable table;
  table.add(lc::model_options());
  return lc::Config::read(table, nlohmann::json{{"model", model}}.dump(), "golden case", {});
}

std::unique_ptr<lc::LanguageModel> build(const nlohmann::json& model, int64_t vocab_size,
                                         at::ScalarType dtype) {
  return lc::build_model(model_config(model), {vocab_size, {dtype, at::kCPU, 1}});
}

void load_weights(lc::LanguageModel& model,
                  const std::vector<std::pair<std::string, at::Tensor>>& weights,
                  const NameMap& names) {
  lc::NamedTensors ours;
  for (const auto& [name, tensor] : weights) {
    const auto targets = names(name);
    if (targets.empty()) continue;
    const auto blocks = tensor.chunk(static_cast<int64_t>(targets.size()), 0);
    for (size_t i = 0; i < targets.size(); ++i) ours.emplace_back(targets[i], blocks[i]);
  }
  model.parameters().load(ours, "golden case");
}

at::Tensor gather(const lc::LanguageModel& model, const std::vector<std::string>& names,
                  const std::function<at::Tensor(const lc::Parameter&)>& read) {
  std::vector<at::Tensor> parts;
  for (const std::string& name : names) {
    for (const lc::Parameter& parameter : model.parameters().all()) {
      if (parameter.name == name) parts.push_back(read(parameter));
    }
  }
  if (parts.size() != names.size()) throw std::runtime_error("no parameter " + names.front());
  return at::cat(parts, 0);
}

lc::Segment segment(const at::Tensor& inputs_BT, const at::Tensor& targets_BT, Begin begin) {
  const auto lanes = static_cast<size_t>(inputs_BT.size(0));
  lc::Segment result;
  result.inputs_BT = inputs_BT.contiguous();
  result.targets_BT = targets_BT.contiguous();
  result.valid_BT = at::ones(inputs_BT.sizes(), at::kBool);
  result.weights_BT = at::ones(inputs_BT.sizes(), at::kFloat);
  result.starts_B.assign(lanes, begin == Begin::kAnew ? 1 : 0);
  result.padded_B.assign(lanes, 0);
  result.lanes_B.resize(lanes);
  std::iota(result.lanes_B.begin(), result.lanes_B.end(), 0);
  result.first_positions_B.assign(lanes, 0);
  return result;
}

}  // namespace golden

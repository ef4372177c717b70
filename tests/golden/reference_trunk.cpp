#include "golden/reference_trunk.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <stdexcept>

namespace golden {

using Json = nlohmann::json;

Json trunk_json(const Json& h, const std::string& type) {
  return {{"type", type},
          {"layers", h.at("n_layers")},
          {"d_model", h.at("d_model")},
          {"heads", h.at("n_heads")},
          {"d_head", h.at("d_head")},
          {"d_inner", h.at("d_inner")},
          {"norm_eps", h.at("layer_norm_epsilon")}};
}

NameMap trunk_names(std::vector<std::pair<std::string, std::string>> more) {
  std::vector<std::pair<std::string, std::string>> map{
      {"attention.q", "attention.query"},   {"attention.k", "attention.key"},
      {"attention.v", "attention.value"},   {"attention.o", "attention.output"},
      {"attention_norm", "attention.norm"}, {"ffn.1", "feed_forward.up"},
      {"ffn.2", "feed_forward.down"},       {"ffn_norm", "feed_forward.norm"}};
  map.insert(map.end(), more.begin(), more.end());
  return [map](const std::string& name) -> std::vector<std::string> {
    if (name == "embedding.weight") return {"embedding.0.weight"};
    if (name == "output.bias") return {"output.0.bias"};
    if (!name.starts_with("layers.")) throw std::runtime_error("unknown weight " + name);
    const size_t dot = name.find('.', 7);
    const std::string rest = name.substr(dot + 1);
    for (const auto& [from, to] : map) {
      if (rest == from || rest.starts_with(from + ".")) {
        return {name.substr(0, dot + 1) + to + rest.substr(from.size())};
      }
    }
    throw std::runtime_error("unknown weight " + name);
  };
}

lc::Segment trunk_segment(const Case& golden, int64_t s) {
  const auto length = golden.json.at("hyperparameters").at("segment_length").get<int64_t>();
  const at::Tensor& tokens = golden.tensor("tokens");
  lc::Segment result = segment(tokens.narrow(1, s * length, length),
                               tokens.narrow(1, s * length + 1, length), Begin::kGoesOn);
  result.index = s;
  result.first_positions_B.assign(result.lanes_B.size(), s * length);
  for (size_t b = 0; golden.has("reset") && b < result.starts_B.size(); ++b) {
    const auto lane = static_cast<int64_t>(b);
    result.starts_B[b] = golden.tensor("reset")[s][lane].item<uint8_t>() != 0;
  }
  return result;
}

void check_last_logits(const Case& golden, const lc::LanguageModel& model,
                       const lc::MemoryState& memory, Limit allowed) {
  const c10::NoGradGuard no_gradient;
  const auto last = golden.json.at("hyperparameters").at("n_segments").get<int64_t>() - 1;
  const at::Tensor expected_BTV = golden.tensor("expected.logits").log_softmax(-1);
  for (int64_t t = 0; t < expected_BTV.size(1); ++t) {
    lc::Segment part = trunk_segment(golden, last);
    part.inputs_BT = part.inputs_BT.narrow(1, 0, t + 1);
    part.valid_BT = part.valid_BT.narrow(1, 0, t + 1);
    check(model.logits(part, memory.clone()).logits_BV, expected_BTV.select(1, t), allowed,
          "logits");
  }
}

void check_gradients(const Case& golden, const lc::LanguageModel& model, const NameMap& names,
                     Limit allowed) {
  for (const auto& [name, expected] : golden.tensors) {
    if (!name.starts_with("grad.")) continue;
    const at::Tensor actual =
        gather(model, names(name.substr(5)),
               [](const lc::Parameter& parameter) { return parameter.value.grad(); });
    check(actual, expected, allowed, name);
  }
}

}  // namespace golden

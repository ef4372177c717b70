// Cases of the Compressive Transformer: see tests/golden/data/compressive/README.md.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <stdexcept>

#include "catch.h"
#include "golden/agreement.h"
#include "golden/golden_case.h"
#include "golden/golden_model.h"

namespace golden {
namespace {

using Json = nlohmann::json;

// Float64 limits count relative to the largest value where that is above 1; float32 ones don't.
Limit allowed(at::ScalarType dtype, double float32) {
  return dtype == at::kDouble ? Limit{1e-9, 1e-9} : Limit{float32, 0};
}

Json model_json(const Json& h) {
  const bool compresses = h.at("compressed_memory_length") > 0;
  Json block{{"memory_length", h.at("memory_length")},
             {"compressed_length", h.at("compressed_memory_length")},
             {"rate", h.at("compression_rate")},
             {"compression", compresses ? h.at("compression") : Json("mean")},
             {"compression_loss", h.at("compression_loss")},
             {"compressed_positions", h.at("compressed_positions")},
             {"initial_memory", h.at("initial_memory")}};
  if (h.contains("dilation_rates")) block["dilation_rates"] = h.at("dilation_rates");
  return {{"type", "compressive"},
          {"layers", h.at("n_layers")},
          {"d_model", h.at("d_model")},
          {"heads", h.at("n_heads")},
          {"d_head", h.at("d_head")},
          {"d_inner", h.at("d_inner")},
          {"norm_eps", h.at("layer_norm_epsilon")},
          {"positions",
           {{"scheme", "xl_relative"},
            {"share_biases", false},
            {"score_scaling", h.at("score_scaling")}}},
          {"compressive", block}};
}

std::vector<std::string> our_names(const std::string& name) {
  if (name == "embedding.weight") return {"embedding.0.weight"};
  if (name == "output.bias") return {"output.0.bias"};
  if (!name.starts_with("layers.")) throw std::runtime_error("unknown weight " + name);
  const size_t dot = name.find('.', 7);
  const std::string layer = name.substr(0, dot + 1);
  const std::string rest = name.substr(dot + 1);
  if (rest.starts_with("compression.")) return {name};
  const std::vector<std::pair<std::string, std::string>> map{
      {"attention.q.", "attention.query."},
      {"attention.k.", "attention.key."},
      {"attention.v.", "attention.value."},
      {"attention.o.", "attention.output."},
      {"attention.r.", "positions.projection."},
      {"attention.r_cm.", "positions.compressed.projection."},
      {"attention.content_bias", "positions.content_bias"},
      {"attention.position_bias_cm", "positions.compressed.position_bias"},
      {"attention.position_bias", "positions.position_bias"},
      {"attention_norm.", "attention.norm."},
      {"ffn.1.", "feed_forward.up."},
      {"ffn.2.", "feed_forward.down."},
      {"ffn_norm.", "feed_forward.norm."}};
  for (const auto& [from, to] : map) {
    if (rest.starts_with(from)) return {layer + to + rest.substr(from.size())};
  }
  throw std::runtime_error("unknown weight " + name);
}

std::unique_ptr<lc::LanguageModel> model_of(const Case& golden, at::ScalarType dtype) {
  const Json& h = golden.json.at("hyperparameters");
  auto model = build(model_json(h), h.at("vocab_size").get<int64_t>(), dtype);
  auto weights = golden.weights();
  if (h.at("compressed_memory_length") > 0) {
    load_weights(*model, weights, our_names);
    return model;
  }
  // The case has no weights for slots that never exist; those of the model may be anything.
  lc::NamedTensors all = model->parameters().named();
  for (const auto& [name, tensor] : weights) {
    const std::string ours = our_names(name).front();
    for (auto& [known, value] : all) {
      if (known == ours) value = tensor;
    }
  }
  model->parameters().load(all, "golden case");
  return model;
}

// Softmax weights of each layer of one step.
class WeightsProbe : public lc::Probe {
 public:
  void observe(std::string_view name, int64_t, const at::Tensor& value) override {
    if (name == "attention_weights") layers.push_back(value);
  }
  std::vector<at::Tensor> layers;
};

class Run {
 public:
  Run(const Case& golden, at::ScalarType dtype)
      : golden_(golden),
        h_(golden.json.at("hyperparameters")),
        dtype_(dtype),
        model_(model_of(golden, dtype)),
        tokens_(golden.tensor("tokens")),
        memory_(model_->initial_memory(tokens_.size(0), lc::MemoryUse::kTraining)) {}

  // All segments; memory becomes constant before every segments_per_graph-th.
  void step_through(int64_t segments_per_graph) {
    const auto count = h_.at("n_segments").get<int64_t>();
    for (int64_t s = 0; s < count; ++s) {
      if (s % segments_per_graph == 0) memory_ = memory_.detach();
      if (s + 1 == count) check_logits(segment_at(s), s);
      step(s);
    }
    const at::Tensor nll_BSn = at::stack(nll_, 1);
    check(nll_BSn, golden_.tensor("expected.nll"), allowed(dtype_, 5e-5), "nll");
    if (golden_.has("expected.nll_long_pass")) {
      check(nll_BSn.flatten(1), golden_.tensor("expected.nll_long_pass"), allowed(dtype_, 5e-5),
            "long pass");
    }
    if (golden_.has("expected.compression_loss")) {
      check(losses(), golden_.tensor("expected.compression_loss"), allowed(dtype_, 1e-5),
            "compression loss");
    }
  }

  void check_gradients(const at::Tensor& scalar) {
    scalar.backward();
    std::vector<std::string> without;
    for (const Json& name : golden_.json.at("no_gradient")) {
      for (const std::string& ours : our_names(name)) without.push_back(ours);
    }
    for (const lc::Parameter& parameter : model_->parameters().all()) {
      const bool none = std::find(without.begin(), without.end(), parameter.name) != without.end();
      INFO(parameter.name);
      if (none) CHECK_FALSE(parameter.value.grad().defined());
    }
    int checked = 0;
    for (const auto& [name, expected] : golden_.tensors) {
      if (!name.starts_with("grad.")) continue;
      check(gather(*model_, our_names(name.substr(5)),
                   [](const lc::Parameter& parameter) { return parameter.value.grad(); }),
            expected, allowed(dtype_, 2e-6), name);
      ++checked;
    }
    CHECK(checked > 0);
  }

  at::Tensor mean_nll() const { return at::stack(nll_, 1).mean(); }
  at::Tensor losses() const { return at::stack(losses_).view({-1, layers()}); }

 private:
  int64_t layers() const { return h_.at("n_layers").get<int64_t>(); }
  int64_t length() const { return h_.at("segment_length").get<int64_t>(); }

  lc::Segment segment_at(int64_t s) const {
    lc::Segment result = segment(tokens_.narrow(1, s * length(), length()),
                                 tokens_.narrow(1, s * length() + 1, length()), Begin::kGoesOn);
    result.index = s;
    const at::Tensor reset = golden_.tensor("reset")[s].to(at::kLong);
    for (size_t b = 0; b < result.starts_B.size(); ++b) {
      result.starts_B[b] = reset[static_cast<int64_t>(b)].item<int64_t>() != 0;
    }
    return result;
  }

  void step(int64_t s) {
    WeightsProbe probe;
    auto result = model_->step(segment_at(s), std::move(memory_),
                               {.training = true, .seed = 0, .probe = &probe});
    nll_.push_back(result.nll_BT);
    for (int64_t l = 0; l < layers(); ++l) {
      at::Tensor value = at::zeros({}, at::TensorOptions(dtype_));
      for (const lc::AuxiliaryLoss& loss : result.auxiliary) {
        if (loss.layer == l) value = loss.sum / static_cast<double>(loss.count);
      }
      losses_.push_back(value);
    }
    const bool compresses = h_.at("compressed_memory_length") > 0;
    check_mass(probe, s);
    memory_ = std::move(result.memory);
    check_queue("memory", "m", s);
    if (compresses) check_queue("compressed", "cm", s);
  }

  // Keys are [cm ; m ; segment], of which memory has as many as its fullest lane.
  void check_mass(const WeightsProbe& probe, int64_t s) const {
    for (int64_t l = 0; l < layers(); ++l) {
      const at::Tensor weights = probe.layers.at(static_cast<size_t>(l));
      const int64_t own = length();
      const int64_t m = memory_widths_.empty() ? initial_width() : memory_widths_.back();
      const int64_t cm = weights.size(3) - own - m;
      REQUIRE(cm >= 0);
      const auto mass = [&](int64_t first, int64_t count) {
        return weights.narrow(3, first, count).sum(3).mean();
      };
      check(at::stack({mass(0, cm), mass(cm, m), mass(cm + m, own)}),
            golden_.tensor("expected.attention_mass")[s][l], allowed(dtype_, 2e-6),
            "attention mass");
    }
  }
  int64_t initial_width() const {
    return h_.at("initial_memory") == "zeros" ? h_.at("memory_length").get<int64_t>() : 0;
  }

  // Filled slots of every layer and lane after segment s, and how many they are.
  void check_queue(const std::string& ours, const std::string& theirs, int64_t s) {
    const at::Tensor filled = golden_.tensor("expected." + theirs + "_filled")[s];
    const at::Tensor& expected = golden_.tensor("expected." + theirs);
    for (int64_t l = 0; l < layers(); ++l) {
      const lc::MemoryQueue& queue = memory_.layer(l).queue(ours);
      for (int64_t b = 0; b < memory_.lanes(); ++b) {
        const auto count = filled[b].item<int64_t>();
        INFO(ours << ", segment " << s << ", layer " << l << ", lane " << b);
        REQUIRE(queue.fill_B[static_cast<size_t>(b)] == count);
        const at::Tensor rows = queue.slots[b];
        const at::Tensor wanted = expected[s][l][b];
        check(rows.narrow(0, rows.size(0) - count, count),
              wanted.narrow(0, wanted.size(0) - count, count), allowed(dtype_, 2e-5), ours);
      }
    }
    if (ours == "memory") memory_widths_.push_back(memory_.layer(0).queue(ours).slots.size(1));
  }

  void check_logits(const lc::Segment& whole, int64_t s) const {
    const c10::NoGradGuard no_gradient;
    for (int64_t t = 0; t < length(); ++t) {
      lc::Segment part = segment(whole.inputs_BT.narrow(1, 0, t + 1),
                                 whole.targets_BT.narrow(1, 0, t + 1), Begin::kGoesOn);
      part.starts_B = whole.starts_B;
      part.index = s;
      check(model_->logits(part, memory_.clone()).logits_BV,
            golden_.tensor("expected.logits").select(1, t).log_softmax(-1), allowed(dtype_, 5e-5),
            "logits");
    }
  }

  const Case& golden_;
  const Json& h_;
  at::ScalarType dtype_;
  std::unique_ptr<lc::LanguageModel> model_;
  at::Tensor tokens_;
  lc::MemoryState memory_;
  std::vector<int64_t> memory_widths_;  // slots of memory after each segment
  std::vector<at::Tensor> nll_;
  std::vector<at::Tensor> losses_;
};

}  // namespace

void run_compressive(const Case& golden, at::ScalarType dtype) {
  const auto kind = golden.json.at("kind").get<std::string>();
  Run run(golden, dtype);
  if (kind == "forward" || kind == "full_memory") {
    const c10::NoGradGuard no_gradient;
    return run.step_through(1);
  }
  run.step_through(golden.json.at("hyperparameters").value("segments_per_graph", 1));
  if (kind == "gradient_lm" || kind == "gradient_bptt") return run.check_gradients(run.mean_nll());
  if (kind == "gradient_compression_loss") return run.check_gradients(run.losses().mean());
  throw std::runtime_error("no test is registered for kind " + kind);
}

}  // namespace golden

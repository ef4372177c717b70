// Where dropout acts: two layers of Transformer-XL written out from their parameters, each named
// site with its own mask, against the training forward of the decoder.
//
// Shapes: B lanes, T queries, M rows of memory, K = M + T keys, H heads, d a head's width,
// D width.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "catch.h"
#include "nn/attention.h"
#include "nn/decoder.h"
#include "nn/positions/angles.h"

namespace {

using Json = nlohmann::json;
using Sites = std::set<std::string>;

constexpr int64_t kLayers = 2;
constexpr int64_t kQueries = 3;
constexpr int64_t kMemory = 4;
constexpr int64_t kHeads = 2;
constexpr int64_t kHeadWidth = 3;
constexpr int64_t kWidth = 8;
constexpr double kRate = 0.3;
constexpr double kAttentionRate = 0.2;
const std::vector<int64_t> kGlobalLanes{4, 1};
const lc::RandomKey kKey{.seed = 9, .epoch = 2, .segment = 5};
const Sites kAllSites{"embedding",
                      "positions",
                      "attention_weights",
                      "attention_branch",
                      "feed_forward_inner",
                      "feed_forward_branch",
                      "hidden"};

lc::Config dropout_config() {
  lc::OptionTable table;
  table.add(lc::transformer_options());
  table.add(lc::position_options());
  const Json json{{"model",
                   {{"layers", kLayers},
                    {"d_model", kWidth},
                    {"heads", kHeads},
                    {"d_head", kHeadWidth},
                    {"d_inner", 10},
                    {"dropout", kRate},
                    {"attention_dropout", kAttentionRate},
                    {"init_std", 0.5}}}};
  return lc::Config::read(table, json.dump(), "test", {});
}

std::unique_ptr<lc::Decoder> decoder_of(lc::ParameterSet& parameters) {
  const auto config = dropout_config();
  const auto settings = lc::read_transformer_settings(config, 10);
  lc::AttentionSettings attention;
  attention.memory_length = kMemory;
  lc::DecoderParts parts;
  parts.positions = lc::build_positions({config, settings, parameters});
  for (int64_t l = 0; l < kLayers; ++l) {
    parts.mixers.push_back(
        std::make_unique<lc::Attention>(parameters, settings, attention, *parts.positions, l));
  }
  auto decoder = std::make_unique<lc::Decoder>(parameters, settings, std::move(parts));
  for (const lc::Parameter& parameter : parameters.all()) {
    if (!parameter.name.ends_with(".bias")) continue;  // they begin as zeros
    const at::Tensor value = parameter.value;
    value.copy_(lc::normal_draws(lc::hash_text(parameter.name), value.sizes()) * 0.5);
  }
  return decoder;
}

// What a segment is computed from.
struct Given {
  at::Tensor embedded_BTD;
  std::vector<at::Tensor> memory_BMD;  // of each layer
};

Given given() {
  Given all{lc::normal_draws(lc::hash_text("embedded"), {2, kQueries, kWidth}), {}};
  for (uint64_t l = 0; l < kLayers; ++l) {
    all.memory_BMD.push_back(lc::normal_draws(lc::hash_bits(l), {2, kMemory, kWidth}));
  }
  return all;
}

at::Tensor by_decoder(const lc::Decoder& decoder, const Given& all, bool training) {
  std::vector<lc::LayerMemory> layers(kLayers);
  for (size_t l = 0; l < layers.size(); ++l) {
    layers[l].queues.push_back({lc::kInputRows.memory, all.memory_BMD[l], {kMemory, kMemory}});
  }
  lc::Segment segment;
  segment.lanes_B = kGlobalLanes;
  segment.padded_B = {0, 0};
  return decoder
      .forward(all.embedded_BTD,
               lc::MemoryState(2, lc::MemoryUse::kTraining, std::move(layers), {}, 0),
               lc::StepContext{segment, training, kKey})
      .hidden_BTD;
}

// The same by the formulas, with dropout at the chosen sites.
class WrittenOut {
 public:
  WrittenOut(const lc::ParameterSet& parameters, Sites sites)
      : parameters_(parameters), sites_(std::move(sites)) {}

  at::Tensor hidden(const Given& all) const {
    at::Tensor x = dropped(all.embedded_BTD, "embedding", -1, kRate);
    for (int64_t l = 0; l < kLayers; ++l) {
      const std::string layer = "layers." + std::to_string(l) + ".";
      x = norm(x + attention(x, all.memory_BMD[static_cast<size_t>(l)], l),
               layer + "attention.norm");
      x = norm(x + feed_forward(x, l), layer + "feed_forward.norm");
    }
    return dropped(x, "hidden", -1, kRate);
  }

 private:
  at::Tensor weight(const std::string& name) const {
    for (const lc::Parameter& parameter : parameters_.all()) {
      if (parameter.name == name) return parameter.value;
    }
    FAIL("there is no parameter " << name);
    return {};
  }

  at::Tensor dropped(const at::Tensor& x_B, const std::string& site, int64_t layer,
                     double rate) const {
    if (!sites_.contains(site)) return x_B;
    return x_B * lc::dropout_mask(kKey.site(site, layer), kGlobalLanes, x_B.sizes().slice(1), rate,
                                  x_B.options());
  }

  at::Tensor norm(const at::Tensor& x, const std::string& name) const {
    return at::layer_norm(x, {kWidth}, weight(name + ".weight"), weight(name + ".bias"), 1e-5);
  }

  at::Tensor by_head(const at::Tensor& rows_BnD, const std::string& name) const {
    return at::matmul(rows_BnD, weight(name).t()).unflatten(2, {kHeads, kHeadWidth});
  }

  // Sinusoids of the distances 0 .. count - 1; all lanes and layers share their mask.
  at::Tensor phi(int64_t count) const {
    std::vector<int64_t> distances(static_cast<size_t>(count));
    std::iota(distances.begin(), distances.end(), 0);
    const at::Tensor phi_nD = lc::sinusoids(distances, kWidth, 10000.0);
    if (!sites_.contains("positions")) return phi_nD;
    return phi_nD * lc::dropout_mask(kKey.site("positions", -1), {0}, phi_nD.sizes(), kRate,
                                     phi_nD.options())[0];
  }

  at::Tensor attention(const at::Tensor& x_BTD, const at::Tensor& memory_BMD, int64_t index) const {
    const std::string layer = "layers." + std::to_string(index) + ".";
    const at::Tensor rows_BKD = at::cat({memory_BMD, x_BTD}, 1);
    const int64_t keys = rows_BKD.size(1);
    const at::Tensor q_BTHd = by_head(x_BTD, layer + "attention.query.weight");
    const at::Tensor k_BKHd = by_head(rows_BKD, layer + "attention.key.weight");
    const at::Tensor v_BKHd = by_head(rows_BKD, layer + "attention.value.weight");
    const at::Tensor r_KHd =
        by_head(phi(keys).unsqueeze(0), layer + "positions.projection.weight")[0];
    const at::Tensor content_Hd = weight("positions.content_bias");
    const at::Tensor position_Hd = weight("positions.position_bias");
    const at::Tensor scores_BHTK =
        at::full({x_BTD.size(0), kHeads, kQueries, keys}, -std::numeric_limits<double>::infinity(),
                 x_BTD.options());
    for (int64_t i = 0; i < kQueries; ++i) {
      for (int64_t j = 0; j <= kMemory + i; ++j) {
        const at::Tensor q_BHd = q_BTHd.select(1, i);
        const at::Tensor products_BHd = (q_BHd + content_Hd) * k_BKHd.select(1, j) +
                                        (q_BHd + position_Hd) * r_KHd[kMemory + i - j];
        scores_BHTK.select(2, i).select(2, j).copy_(products_BHd.sum(-1) /
                                                    std::sqrt(static_cast<double>(kHeadWidth)));
      }
    }
    const at::Tensor weights_BHTK =
        dropped(at::softmax(scores_BHTK, 3), "attention_weights", index, kAttentionRate);
    const at::Tensor mixed_BTE = at::einsum("bhtk,bkhd->bthd", {weights_BHTK, v_BKHd}).flatten(2);
    return dropped(at::matmul(mixed_BTE, weight(layer + "attention.output.weight").t()),
                   "attention_branch", index, kRate);
  }

  at::Tensor feed_forward(const at::Tensor& x_BTD, int64_t index) const {
    const std::string part = "layers." + std::to_string(index) + ".feed_forward.";
    const at::Tensor inner =
        (at::matmul(x_BTD, weight(part + "up.weight").t()) + weight(part + "up.bias")).relu();
    const at::Tensor kept = dropped(inner, "feed_forward_inner", index, kRate);
    return dropped(at::matmul(kept, weight(part + "down.weight").t()) + weight(part + "down.bias"),
                   "feed_forward_branch", index, kRate);
  }

  const lc::ParameterSet& parameters_;
  Sites sites_;
};

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

}  // namespace

TEST_CASE("dropout acts at its seven sites, each with a mask of its own, and nowhere else") {
  const c10::NoGradGuard no_gradient;
  lc::ParameterSet parameters({at::kDouble, at::kCPU, 3});
  const auto decoder = decoder_of(parameters);
  const Given all = given();
  const at::Tensor training = by_decoder(*decoder, all, true);
  CHECK(largest_difference(training, WrittenOut(parameters, kAllSites).hidden(all)) < 1e-12);
  for (const std::string& site : kAllSites) {
    INFO(site);
    Sites others = kAllSites;
    others.erase(site);
    CHECK(largest_difference(training, WrittenOut(parameters, others).hidden(all)) > 1e-3);
  }
  const at::Tensor evaluation = by_decoder(*decoder, all, false);
  CHECK(largest_difference(evaluation, WrittenOut(parameters, {}).hidden(all)) < 1e-12);
}

// Initial weights as the reference draws them (kimiyoung/transformer-xl, pytorch/train.py,
// weights_init): normal, but for biases, which are zero.
#include <ATen/ATen.h>

#include <cmath>
#include <string>

#include "catch.h"
#include "models/registry.h"

namespace {

using Json = nlohmann::json;

// With every kind of parameter that the reference has: bins of their own widths, nothing tied.
std::unique_ptr<lc::LanguageModel> fresh_model(const Json& more, uint64_t seed) {
  Json model{
      {"type", "transformer_xl"},
      {"layers", 2},
      {"d_model", 256},
      {"heads", 16},
      {"d_head", 16},
      {"d_inner", 512},
      {"tie_weights", false},
      {"adaptive",
       {{"cutoffs", {100, 300}}, {"divisor", 2}, {"tie_projections", {false, false, false}}}}};
  model.update(more);
  lc::OptionTable table;
  table.add(lc::model_options());
  const auto config = lc::Config::read(table, Json{{"model", model}}.dump(), "test", {});
  return lc::build_model(config, {600, {at::kFloat, at::kCPU, seed}});
}

struct Deviations {
  double weights;
  double projections;  // from and to the widths of the bins
};

struct Drawn {
  double mean;
  double deviation;  // 0: every value is the mean
};

Drawn drawn_by_reference(const std::string& name, const Deviations& deviations) {
  if (name.ends_with(".bias")) return {0, 0};
  if (name.ends_with(".norm.weight")) return {1, deviations.weights};
  if (name.ends_with(".projection")) return {0, deviations.projections};
  return {0, deviations.weights};
}

// Mean and deviation to four standard errors, which are 1% of the deviation of a layer's matrix and
// 18% of that of its norm.
void check_drawn(const at::Tensor& values, const Drawn& expected) {
  const at::Tensor off = values.detach().to(at::kDouble) - expected.mean;
  if (expected.deviation == 0) {
    CHECK(off.abs().max().item<double>() == 0.0);
    return;
  }
  const auto count = static_cast<double>(off.numel());
  const double deviation = std::sqrt(off.square().mean().item<double>());
  CHECK(std::abs(off.mean().item<double>()) < 4 * expected.deviation / std::sqrt(count));
  CHECK(std::abs(deviation / expected.deviation - 1) < 4 / std::sqrt(2 * count));
}

void check_all_drawn(const lc::LanguageModel& model, const Deviations& deviations) {
  for (const lc::Parameter& parameter : model.parameters().all()) {
    INFO(parameter.name);
    check_drawn(parameter.value, drawn_by_reference(parameter.name, deviations));
  }
}

bool varies(const at::Tensor& values) {
  return values.numel() > 1 && !values.eq(values.flatten()[0]).all().item<bool>();
}

}  // namespace

TEST_CASE("initial weights are drawn as the reference draws them", "[models]") {
  const auto model = fresh_model(Json::object(), 7);
  check_all_drawn(*model, {.weights = 0.02, .projections = 0.01});
  const Json own_biases{{"positions", {{"share_biases", false}}}};
  check_all_drawn(*fresh_model(own_biases, 7), {.weights = 0.02, .projections = 0.01});
  // Other deviations, where a config asks for them.
  const Json narrow{{"init_std", 0.005}, {"projection_init_std", 0.002}};
  check_all_drawn(*fresh_model(narrow, 7), {.weights = 0.005, .projections = 0.002});
}

TEST_CASE("no two parameters begin with the same draws", "[models]") {
  const auto model = fresh_model(Json::object(), 7);
  const auto& all = model->parameters().all();
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!varies(all[i].value) || all[i].value.sizes() != all[j].value.sizes()) continue;
      INFO(all[i].name << " and " << all[j].name);
      CHECK_FALSE(at::equal(all[i].value, all[j].value));
    }
  }
}

TEST_CASE("a seed gives the same weights each time, and another seed others", "[models]") {
  const auto first = fresh_model(Json::object(), 7);
  const auto again = fresh_model(Json::object(), 7);
  const auto other = fresh_model(Json::object(), 8);
  const auto& all = first->parameters().all();
  REQUIRE(again->parameters().all().size() == all.size());
  REQUIRE(other->parameters().all().size() == all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].name);
    CHECK(at::equal(again->parameters().all()[i].value, all[i].value));
    CHECK(at::equal(other->parameters().all()[i].value, all[i].value) == !varies(all[i].value));
  }
}

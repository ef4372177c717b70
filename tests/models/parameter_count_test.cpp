// Parameter totals of published configurations, as their own code logs them.
#include <ATen/ATen.h>

#include "catch.h"
#include "models/registry.h"

namespace {

using Json = nlohmann::json;

// Counted on a device without storage: the largest would take 1.4 GB.
int64_t parameters(const Json& model, int64_t vocab_size) {
  lc::OptionTable table;
  table.add(lc::model_options());
  const auto config = lc::Config::read(table, Json{{"model", model}}.dump(), "test", {});
  return lc::build_model(config, {vocab_size, {at::kFloat, at::kMeta, 1}})->parameters().count();
}

Json sizes(int64_t layers, int64_t d_model, int64_t heads, int64_t d_head, int64_t d_inner) {
  return {{"type", "transformer_xl"}, {"layers", layers}, {"d_model", d_model},
          {"heads", heads},           {"d_head", d_head}, {"d_inner", d_inner}};
}

Json adaptive(Json model, const std::vector<int64_t>& cutoffs, int64_t divisor,
              const std::vector<bool>& tie_projections) {
  model["adaptive"] = {
      {"cutoffs", cutoffs}, {"divisor", divisor}, {"tie_projections", tie_projections}};
  return model;
}

constexpr int64_t kWikiText103 = 267735;

}  // namespace

TEST_CASE("enwik8 and text8 totals are those of the published code") {
  CHECK(parameters(sizes(12, 512, 8, 64, 2048), 204) == 41'055'436);
  CHECK(parameters(sizes(24, 1024, 8, 128, 3072), 204) == 277'231'820);
  CHECK(parameters(sizes(12, 512, 8, 64, 2048), 27) == 40'964'635);
}

TEST_CASE("WikiText-103 totals are those of the published code") {
  const Json base = sizes(16, 410, 10, 41, 2100);
  CHECK(parameters(adaptive(base, {20000, 40000, 200000}, 1, {false, true, true, true}),
                   kWikiText103) == 151'107'538);
  Json large =
      adaptive(sizes(18, 1024, 16, 64, 4096), {20000, 40000, 200000}, 4, {false, true, true, true});
  CHECK(parameters(large, kWikiText103) == 285'170'506);
  large["positions"]["share_biases"] = false;
  CHECK(parameters(large, kWikiText103) == 285'205'322);
  CHECK(parameters(adaptive(sizes(16, 512, 8, 64, 2048), {19997, 39997, 199997}, 1,
                            {false, true, true, true}),
                   kWikiText103) == 191'950'298);
}

TEST_CASE("the one-billion-word total is that of the published script") {
  CHECK(parameters(adaptive(sizes(18, 1024, 8, 128, 4096), {60000, 100000, 640000}, 4,
                            {false, false, false, false}),
                   793'470) == 357'812'065);
}

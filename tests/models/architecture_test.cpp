// What is compared before weights of one run are taken for another.
#include "models/architecture.h"

#include "catch.h"
#include "models/registry.h"

namespace {

using Json = nlohmann::json;
using Values = std::map<std::string, Json>;

constexpr int64_t kVocabulary = 30;

Values architecture(const Json& model) {
  lc::OptionTable table;
  table.add(lc::model_options());
  const auto config = lc::Config::read(table, Json{{"model", model}}.dump(), "test", {});
  return lc::architecture_of(config, kVocabulary);
}

Json small(const Json& more) {
  Json model{{"type", "transformer_xl"}, {"layers", 2}, {"d_model", 16}, {"heads", 2}};
  model.update(more);
  return model;
}

const Values& plain() {
  static const Values values = architecture(small(Json::object()));
  return values;
}

}  // namespace

TEST_CASE("an architecture has what a null stands for") {
  CHECK(plain().at("model.d_head") == 8);
  CHECK(architecture(small({{"d_head", 8}, {"d_inner", 64}, {"d_embed", 16}})) == plain());
  const Json cutoffs{{"cutoffs", {10, 20}}, {"divisor", 2}};
  Json told = cutoffs;
  told["tie_projections"] = {false, true, true};
  CHECK(architecture(small({{"adaptive", cutoffs}})) == architecture(small({{"adaptive", told}})));
}

TEST_CASE("an architecture has no rows that say nothing to the same weights") {
  const Json lengths{
      {"memory_length", 3}, {"attention_span", "fixed"}, {"initial_memory", "zeros"}};
  for (const Json& more :
       {Json{{"init_std", 0.5}, {"projection_init_std", 0.5}, {"dropout", 0.1}},
        Json{{"transformer_xl", lengths}}, Json{{"positions", {{"clamp_length", 9}}}},
        Json{{"positions", {{"rotary_base", 500.0}}}},
        Json{{"infini", {{"memory_update", "linear"}}}},
        Json{{"adaptive", {{"cluster_order", "ascending"}}}},
        Json{{"adaptive", {{"tie_projections", Json::array({true})}}}}, Json{{"type", "vanilla"}}}) {
    INFO(more.dump());
    CHECK(architecture(small(more)) == plain());
  }
}

TEST_CASE("an architecture has the rows that give the same weights another meaning") {
  for (const Json& more :
       {Json{{"norm", "pre"}}, Json{{"norm_eps", 1e-6}}, Json{{"heads", 4}},
        Json{{"positions", {{"scheme", "alibi"}}}},
        Json{{"positions", {{"score_scaling", "before_biases"}}}}}) {
    INFO(more.dump());
    CHECK(architecture(small(more)) != plain());
  }
  const auto ordered = [](const std::string& order) {
    return architecture(small({{"adaptive", {{"cutoffs", {10, 20}}, {"cluster_order", order}}}}));
  };
  CHECK(ordered("ascending") != ordered("descending"));
  const auto infini = [](const std::string& update) {
    return architecture(small({{"type", "infini"}, {"infini", {{"memory_update", update}}}}));
  };
  CHECK(infini("linear") != infini("delta"));
}

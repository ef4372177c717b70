// Attention masses: against a slow version of sums over queries and keys, closed forms of uniform
// attention, and the properties that they must have whatever the model.
#include "eval/attention_mass.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "catch.h"
#include "data/tiny_text.h"
#include "eval/stream_evaluation.h"
#include "eval/tiny_model.h"
#include "models/registry.h"

namespace {

using Json = nlohmann::json;
using lc::AttentionMass;

constexpr double kHidden = -std::numeric_limits<double>::infinity();
constexpr int64_t kTokens = 100;
constexpr int64_t kSegment = 8;

Json infini_json(const char* first_segment) {
  return {{"type", "infini"},
          {"positions", {{"scheme", "alibi"}}},
          {"infini", {{"gate_init", 0.5}, {"first_segment", first_segment}}}};
}

// Without query weights and biases: every visible key has the same score.
void make_uniform(lc::LanguageModel& model) {
  const c10::NoGradGuard no_gradient;
  for (const lc::Parameter& parameter : model.parameters().all()) {
    const std::string& name = parameter.name;
    const bool scores =
        name.find(".query.") != std::string::npos || name.find("_bias") != std::string::npos;
    if (scores) at::Tensor(parameter.value).zero_();
  }
  model.after_update();
}

lc::TokenFile text_of(int64_t tokens) {
  return TinyText::of_documents({tokens}, kTinyVocabulary).file();
}

AttentionMass mass_of(const lc::LanguageModel& model, const lc::EvaluationSettings& settings,
                      int64_t buckets) {
  lc::AttentionMassProbe probe;
  const lc::TokenFile text = text_of(kTokens);
  const lc::Evaluation evaluation = lc::evaluate_observed(model, text, settings, &probe);
  AttentionMass mass = probe.mass(buckets);
  CHECK(mass.queries == evaluation.measures.tokens_scored);
  return mass;
}

lc::EvaluationSettings one_lane() {
  lc::EvaluationSettings settings;
  settings.segment_length = kSegment;
  settings.lanes = 1;
  return settings;
}

void check_sums_to_one(const AttentionMass& mass, double tolerance) {
  for (const auto& shares : mass.layers) {
    double sum = 0;
    for (const lc::AttentionShare& share : shares) sum += share.mass;
    CHECK(std::abs(sum - 1) < tolerance);
  }
}

// Of uniform attention: query by query, how many keys of each kind and place it sees.
struct Uniform {
  std::map<std::pair<std::string, int64_t>, double> mass;  // by kind and place, sums over queries
  std::map<std::pair<std::string, int64_t>, double> keys;
};
Uniform uniform_attention(int64_t memory, int64_t compressed, int64_t rate) {
  Uniform result;
  for (int64_t t = 0; t + 1 < kTokens; ++t) {
    const int64_t before = t / kSegment * kSegment;  // tokens of whole segments
    const int64_t rows = std::min(before, memory);
    const int64_t slots =
        compressed == 0 ? 0 : std::min((before - rows) / kSegment * (kSegment / rate), compressed);
    std::vector<std::pair<std::string, int64_t>> seen;
    for (int64_t i = 1; i <= slots; ++i) seen.emplace_back("compressed", -i);
    for (int64_t i = 1; i <= rows; ++i) seen.emplace_back("memory", -i);
    for (int64_t i = 0; i <= t - before; ++i) seen.emplace_back("segment", i);
    for (const auto& key : seen) {
      result.mass[key] += 1.0 / static_cast<double>(seen.size());
      result.keys[key] += 1;
    }
  }
  return result;
}

void check_uniform(const AttentionMass& mass, const Uniform& expected) {
  check_sums_to_one(mass, 1e-12);
  const double queries = kTokens - 1;
  for (const auto& shares : mass.layers) {
    for (size_t b = 0; b < mass.buckets.size(); ++b) {
      double in_bucket = 0;
      double keys = 0;
      const auto [first, last] = *mass.buckets[b].places;
      for (int64_t place = first; place <= last; ++place) {
        const std::pair key{mass.buckets[b].kind, place};
        if (!expected.mass.contains(key)) continue;
        in_bucket += expected.mass.at(key);
        keys += expected.keys.at(key);
      }
      CAPTURE(mass.buckets[b].kind, first, last);
      CHECK(shares[b].mass == Approx(in_bucket / queries).epsilon(1e-12));
      CHECK(shares[b].keys == Approx(keys / queries).epsilon(1e-12));
    }
  }
}

}  // namespace

TEST_CASE(
    "Masses are sums over scored queries and keys, heads weighed by what a gate leaves them") {
  at::Tensor mask = at::zeros({2, 1, 3, 5}, at::kDouble);
  for (int64_t t = 0; t < 3; ++t) {
    mask.index_put_({0, 0, t, 0}, kHidden);  // an empty slot of lane 0
    for (int64_t j = t + 3; j < 5; ++j) mask.index_put_({at::indexing::Slice(), 0, t, j}, kHidden);
  }
  const at::Tensor scores = at::arange(2 * 2 * 3 * 5, at::kDouble).view({2, 2, 3, 5}).sin() * 3;
  const at::Tensor weights = at::softmax(scores + mask, 3);
  const at::Tensor scored = at::tensor({1.0, 0.0, 1.0, 0.0, 1.0, 1.0}, at::kFloat).view({2, 3});
  const at::Tensor gate = at::tensor({0.25, 0.5, 0.0, 1.0}, at::kDouble).view({2, 2});
  lc::AttentionMassProbe probe;
  probe.attended({0,
                  weights,
                  mask,
                  scored,
                  {{"memory", 2, -2, -3}, {"segment", 3, 0, 0}},
                  {{"associative", gate}}});
  const AttentionMass mass = probe.mass(2);
  CHECK(mass.queries == 4);

  std::vector<double> by_place(6, 0);  // memory -3 .. -1, segment 0 .. 2
  double recalled = 0;
  const auto weight = weights.accessor<double, 4>();
  const auto share = gate.accessor<double, 2>();
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t t = 0; t < 3; ++t) {
      if (scored.accessor<float, 2>()[b][t] == 0) continue;
      for (int64_t h = 0; h < 2; ++h) {
        recalled += share[b][h] / 2 / 4;
        for (int64_t j = 0; j < 5; ++j) {
          by_place[static_cast<size_t>(j) + 1] += weight[b][h][t][j] * (1 - share[b][h]) / 2 / 4;
        }
      }
    }
  }
  // Three places in two buckets: one, and the remainder of two.
  const std::vector<double> expected = {recalled, by_place[0], by_place[1] + by_place[2],
                                        by_place[3], by_place[4] + by_place[5]};
  REQUIRE(mass.buckets.size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    CHECK(mass.layers[0][i].mass == Approx(expected[i]).epsilon(1e-12));
  }
  CHECK(!mass.buckets[0].places.has_value());
  CHECK(*mass.buckets[1].places == std::pair<int64_t, int64_t>{-3, -3});
  CHECK(*mass.buckets[2].places == std::pair<int64_t, int64_t>{-2, -1});
  CHECK(*mass.buckets[4].places == std::pair<int64_t, int64_t>{1, 2});
  CHECK(mass.layers[0][1].keys == 0.0);                            // never filled
  CHECK(mass.layers[0][2].keys == Approx((1 + 1 + 2 + 2) / 4.0));  // lane 0 sees one of two
  check_sums_to_one(mass, 1e-12);
}

TEST_CASE("Uniform attention gives the masses that counting keys gives") {
  SECTION("Transformer-XL") {
    for (const int64_t memory : {0, 5, 20}) {
      const TinyModel tiny(tiny_xl(memory, "segment"), at::kDouble);
      make_uniform(*tiny.model);
      if (!tiny.model->has_memory()) continue;
      for (const int64_t buckets : {1, 3, 6, 1000}) {
        check_uniform(mass_of(*tiny.model, one_lane(), buckets), uniform_attention(memory, 0, 1));
      }
    }
  }
  SECTION("Compressive Transformer") {
    for (const char* positions : {"separate", "contiguous", "distance"}) {
      const TinyModel tiny(tiny_compressive(positions), at::kDouble);
      make_uniform(*tiny.model);
      const AttentionMass mass = mass_of(*tiny.model, one_lane(), 2);
      check_uniform(mass, uniform_attention(8, 5, 4));
      REQUIRE(mass.buckets.size() == 6);
      CHECK(*mass.buckets[0].places == std::pair<int64_t, int64_t>{-5, -4});
      CHECK(*mass.buckets[1].places == std::pair<int64_t, int64_t>{-3, -1});
    }
  }
  SECTION("a window without memory is one kind of keys") {
    const TinyModel tiny(tiny_vanilla(), at::kDouble);
    make_uniform(*tiny.model);
    lc::EvaluationSettings settings = one_lane();
    settings.stride = kSegment;
    check_uniform(mass_of(*tiny.model, settings, 3), uniform_attention(0, 0, 1));
  }
}

TEST_CASE("Infini-attention's memory has what its gates give it") {
  const double gate = 1 / (1 + std::exp(-0.5));
  for (const char* first_segment : {"bypass", "zero"}) {
    const TinyModel tiny(infini_json(first_segment), at::kDouble);
    const AttentionMass mass = mass_of(*tiny.model, one_lane(), 4);
    check_sums_to_one(mass, 1e-12);
    CHECK(mass.buckets[0].kind == "associative");
    const double queries = kTokens - 1;
    const double share =
        first_segment == std::string("zero") ? gate : gate * (queries - kSegment) / queries;
    for (const auto& shares : mass.layers) CHECK(shares[0].mass == Approx(share).epsilon(1e-12));
  }
}

TEST_CASE("Masses depend neither on lanes nor on who watches") {
  for (const Json& model : {tiny_xl(7, "fixed"), tiny_compressive("separate")}) {
    const TinyModel tiny(model, at::kDouble);
    lc::EvaluationSettings settings = one_lane();
    const AttentionMass one = mass_of(*tiny.model, settings, 3);
    check_sums_to_one(one, 1e-12);
    for (const int64_t lanes : {2, 3}) {
      settings.lanes = lanes;
      const AttentionMass several = mass_of(*tiny.model, settings, 3);
      for (size_t layer = 0; layer < one.layers.size(); ++layer) {
        for (size_t b = 0; b < one.buckets.size(); ++b) {
          CHECK(std::abs(several.layers[layer][b].mass - one.layers[layer][b].mass) < 1e-9);
          CHECK(several.layers[layer][b].keys == Approx(one.layers[layer][b].keys));
        }
      }
    }
    const lc::TokenFile text = text_of(kTokens);
    lc::AttentionMassProbe probe;
    CHECK(lc::evaluate_observed(*tiny.model, text, settings, &probe).scores.nll ==
          lc::evaluate_split(*tiny.model, text, settings).scores.nll);
  }
}

// Relative effective context length: closed forms, a slow version written from the paper's
// definitions, and small models against one window for each target.
#include "eval/contexts/effective_context.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "core/error.h"
#include "data/tiny_text.h"
#include "eval/contexts/effective_context_runs.h"
#include "eval/tiny_model.h"
#include "eval/window_loss.h"
#include "models/registry.h"

namespace lc {
namespace {

using Table = std::vector<std::vector<double>>;  // [context][target]

// Perplexity by context, the same on every target.
Table constant(const std::vector<double>& perplexities, size_t targets) {
  Table nll;
  for (const double perplexity : perplexities) {
    nll.emplace_back(targets, std::log(perplexity));
  }
  return nll;
}

// f_i(c, c') with T(c) chosen by sorting pairs, all exponentials taken.
double slow_gain(const std::vector<ContextLosses>& group, size_t model, size_t c, double share) {
  const size_t targets = group[0].nll[c].size();
  std::vector<std::pair<double, size_t>> hard;
  for (size_t t = 0; t < targets; ++t) {
    double best = group[0].nll[c][t];
    for (const ContextLosses& other : group) best = std::min(best, other.nll[c][t]);
    hard.emplace_back(-best, t);
  }
  std::sort(hard.begin(), hard.end());  // equal losses: the earlier target first
  hard.resize(static_cast<size_t>(std::llround(share * static_cast<double>(targets))));
  double same = 0;
  double longer = 0;
  for (const auto& [negative, t] : hard) {
    same += std::min(-negative, group[model].nll[c][t]);
    longer += std::min(-negative, group[model].nll[c + 1][t]);
  }
  const auto count = static_cast<double>(hard.size());
  return (std::exp(same / count) - std::exp(longer / count)) / std::exp(same / count);
}

// A model, the segments that its contexts are measured in, and those of the slow version: one piece
// where the cuts can't show.
struct CutModel {
  nlohmann::json section;
  int64_t segment;
  int64_t slow_segment;
};

}  // namespace

TEST_CASE("a model that gains 2 % three times and then nothing reaches the fourth context") {
  const std::vector<int64_t> contexts = {100, 200, 300, 400, 500, 600};
  const double p = 0.98;
  const ContextLosses model{
      "a", 7,
      constant({80, 80 * p, 80 * p * p, 80 * p * p * p, 80 * p * p * p, 80 * p * p * p}, 40)};
  const auto results = effective_contexts(contexts, {model}, {0.1, 1});
  REQUIRE(results.size() == 1);
  CHECK(results[0].run == "a");
  CHECK(results[0].parameters == 7);
  for (const EffectiveContext& length : results[0].by_share) {
    CHECK(length.tokens == 400);
    CHECK(!length.at_least);
    REQUIRE(length.gains.size() == 5);
    for (size_t i = 0; i < 3; ++i) CHECK(length.gains[i].gain == Approx(0.02).epsilon(1e-12));
    CHECK(length.gains[4].gain == 0);
    CHECK(length.gains[2].context == 300);
    CHECK(length.gains[2].longer == 400);
  }
  CHECK(results[0].by_share[0].targets == 4);
  CHECK(results[0].by_share[1].targets == 40);
}

TEST_CASE("a step below the smallest gain ends the length, whatever comes after it") {
  const ContextLosses stops{"a", 1, constant({100, 98, 97.5, 90}, 5)};
  const auto ended = effective_contexts({10, 20, 30, 40}, {stops}, {1})[0].by_share[0];
  CHECK(ended.tokens == 20);
  CHECK(ended.gains[2].gain > kSmallestGain);
  const ContextLosses goes_on{"a", 1, constant({100, 98, 96, 94}, 5)};
  const auto open = effective_contexts({10, 20, 30, 40}, {goes_on}, {1})[0].by_share[0];
  CHECK(open.tokens == 40);
  CHECK(open.at_least);
}

TEST_CASE("gains count only below the group's best: a weak model doesn't look far-sighted") {
  const std::vector<int64_t> contexts = {1, 2, 3};
  const ContextLosses strong{"strong", 1, constant({20, 20, 20}, 10)};
  const ContextLosses weak{"weak", 1, constant({80, 40, 19}, 10)};
  CHECK(effective_contexts(contexts, {weak}, {1})[0].by_share[0].tokens == 3);
  const auto both = effective_contexts(contexts, {strong, weak}, {1});
  CHECK(both[0].by_share[0].tokens == 1);
  CHECK(both[1].by_share[0].tokens == 1);
  CHECK(both[1].by_share[0].gains[0].gain == 0);
  CHECK(both[1].by_share[0].gains[1].gain == Approx(1.0 / 20));
}

TEST_CASE("the hardest targets are those of the shorter context, counted by their share") {
  // Ten hard targets gain 4 % at the second context, thirty easy ones nothing.
  ContextLosses model{"a", 1, {{}, {}, {}}};
  for (int t = 0; t < 40; ++t) {
    const bool hard = t % 4 == 3;
    model.nll[0].push_back(std::log(hard ? 100.0 : 2.0));
    model.nll[1].push_back(std::log(hard ? 96.0 : 2.0));
    model.nll[2].push_back(std::log(hard ? 96.0 : 2.0));
  }
  const auto lengths = effective_contexts({5, 6, 7}, {model}, {0.25, 1})[0].by_share;
  CHECK(lengths[0].gains[0].gain == Approx(0.04));
  CHECK(lengths[1].gains[0].gain == Approx(1 - std::pow(0.96, 0.25)));  // mean of logarithms
  // A share that no target fits into still holds the hardest one.
  CHECK(effective_contexts({5, 6, 7}, {model}, {0.001})[0].by_share[0].targets == 1);
}

TEST_CASE("effective contexts of random losses equal the paper's definitions, taken literally") {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(0, 6);
  const std::vector<int64_t> contexts = {3, 5, 7, 9, 11, 13, 15};
  for (int round = 0; round < 20; ++round) {
    std::vector<ContextLosses> group;
    for (const char* name : {"a", "b", "c"}) {
      ContextLosses model{name, 1, {}};
      for (size_t c = 0; c < contexts.size(); ++c) {
        model.nll.emplace_back();
        for (int t = 0; t < 37; ++t) {
          // Rounded, so that there are ties.
          model.nll.back().push_back(std::round(4 * uniform(random)) / 4 +
                                     (round % 2 == 0 ? 0.0 : 6.0 / static_cast<double>(c + 1)));
        }
      }
      group.push_back(std::move(model));
    }
    const std::vector<double> shares = {0.1, 0.5, 1};
    const auto results = effective_contexts(contexts, group, shares);
    for (size_t i = 0; i < group.size(); ++i) {
      for (size_t r = 0; r < shares.size(); ++r) {
        const EffectiveContext& length = results[i].by_share[r];
        int64_t expected = contexts[0];
        bool going = true;
        for (size_t c = 0; c + 1 < contexts.size(); ++c) {
          const double gain = slow_gain(group, i, c, shares[r]);
          CHECK(length.gains[c].gain == Approx(gain).margin(1e-12));
          going = going && gain >= 0.01;
          if (going) expected = contexts[c + 1];
        }
        CHECK(length.tokens == expected);
        CHECK(length.at_least == going);
      }
    }
  }
}

TEST_CASE("a model's losses at a context of c are those of exactly c tokens fed to empty memory") {
  const TokenFile text = TinyText::of_documents({60}, kTinyVocabulary).file();
  EffectiveContextRequest request;
  request.step = 8;
  request.longest = 24;
  EvaluationSettings settings;
  // At 24 the last of three segments has full memory behind it, and compressed slots.
  const std::vector<CutModel> models = {{tiny_xl(7, "segment"), 5, 24},
                                        {tiny_vanilla(), 5, 24},
                                        {tiny_compressive("separate"), 8, 8},
                                        {tiny_infini(), 8, 8}};
  for (const CutModel& cut : models) {
    CAPTURE(cut.section.dump());
    settings.segment_length = cut.segment;
    const TinyModel tiny(cut.section, at::kDouble);
    const MeasuredContexts measured = measure_contexts(tiny.source(), text, settings, request);
    CHECK(measured.losses.parameters == tiny.model->parameters().count());
    REQUIRE(measured.losses.nll.size() == 3);
    // A target with 24 tokens before it is token 24 at the earliest.
    REQUIRE(measured.targets.size() == 36);
    CHECK(measured.targets.front() == 24);
    for (size_t c = 0; c < 3; ++c) {
      const int64_t tokens = 8 * static_cast<int64_t>(c + 1);
      nlohmann::json own = cut.section;
      if (own.contains("transformer_xl")) own["transformer_xl"]["memory_length"] = tokens;
      const TinyModel alone(own, at::kDouble);
      for (size_t t = 0; t < measured.targets.size(); ++t) {
        const Run run{.first = measured.targets[t] - tokens, .count = tokens};
        CHECK(measured.losses.nll[c][t] ==
              Approx(last_loss(*alone.model, text, run, cut.slow_segment)).margin(1e-9));
      }
    }
  }
}

TEST_CASE("span mode limits each layer to c tokens; one layer then sees exactly those") {
  const TokenFile text = TinyText::of_documents({60}, kTinyVocabulary).file();
  TinyModel tiny(tiny_xl(7, "segment"), at::kDouble);
  tiny.config = tiny.config.with(tiny.table, "model.layers", 1);
  tiny.model = build_model(tiny.config, {kTinyVocabulary, {at::kDouble, at::kCPU, 5}});
  EffectiveContextRequest request;
  request.step = 4;
  request.longest = 12;
  EvaluationSettings settings;
  settings.segment_length = 5;
  const MeasuredContexts strict = measure_contexts(tiny.source(), text, settings, request);
  CHECK(strict.protocol.at("memory") == "context");
  CHECK(strict.protocol.at("span") == "segment");
  request.mode = ContextMode::kSpan;
  const MeasuredContexts span = measure_contexts(tiny.source(), text, settings, request);
  CHECK(span.protocol.at("memory") == "context");
  CHECK(span.protocol.at("span") == "fixed");
  CHECK(span.targets == strict.targets);
  for (size_t c = 0; c < 3; ++c) {
    for (size_t t = 0; t < span.targets.size(); ++t) {
      CHECK(span.losses.nll[c][t] == Approx(strict.losses.nll[c][t]).margin(1e-9));
    }
  }
  const TinyModel vanilla(tiny_vanilla(), at::kDouble);
  CHECK_THROWS_AS(measure_contexts(vanilla.source(), text, settings, request), Error);
}

TEST_CASE("contexts and groups come from the flags, and faults are named") {
  EffectiveContextRequest request;
  CHECK(request.contexts().size() == 10);
  CHECK(request.contexts().front() == 100);
  request.first = 128;
  request.longest = 400;
  CHECK(request.contexts() == std::vector<int64_t>{128, 228, 328});
  request.longest = 200;
  CHECK_THROWS_AS(request.contexts(), Error);
  request.longest = 1000;
  request.shares = {0.5, 1.5};
  CHECK_THROWS_AS(request.contexts(), Error);
  request.shares = {0};
  CHECK_THROWS_AS(request.contexts(), Error);
  request.shares = {1};
  request.step = 0;
  CHECK_THROWS_AS(request.contexts(), Error);
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
  for (int64_t EffectiveContextRequest::*length :
       {&EffectiveContextRequest::step, &EffectiveContextRequest::first,
        &EffectiveContextRequest::longest}) {
    EffectiveContextRequest far;
    far.*length = kFar;
    CHECK_THROWS_AS(far.contexts(), Error);
  }
  EffectiveContextRequest many;
  many.step = 1;
  many.longest = 10000;
  CHECK(many.contexts().size() == 10000);
  many.longest = 10001;
  CHECK_THROWS_AS(many.contexts(), Error);

  const std::vector<std::string> runs = {"xl", "lstm", "big"};
  const auto all = parse_groups({}, runs);
  REQUIRE(all.size() == 1);
  CHECK(all[0].runs == runs);
  const auto two = parse_groups({"small=xl,lstm", "large=big,xl"}, runs);
  REQUIRE(two.size() == 2);
  CHECK(two[0].name == "small");
  CHECK(two[1].runs == std::vector<std::string>{"big", "xl"});
  for (const std::vector<std::string>& bad :
       std::vector<std::vector<std::string>>{{"small"},
                                             {"=xl"},
                                             {"small="},
                                             {"small=xl,lstm,other"},
                                             {"small=xl,xl,lstm,big"},
                                             {"small=xl,lstm"},
                                             {"a=xl,lstm,big", "a=xl"},
                                             {"a=xl,,lstm,big"}}) {
    CHECK_THROWS_AS(parse_groups(bad, runs), Error);
  }
}

}  // namespace lc

#include "eval/contexts/context_sweep.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.h"
#include "core/error.h"
#include "data/tiny_text.h"
#include "eval/tiny_model.h"
#include "eval/window_loss.h"

namespace {

using lc::Boundaries;
using lc::ContextMode;
using lc::ContextSettings;
using lc::ContextSweep;

constexpr int64_t kSegment = 7;

ContextSettings settings_of(std::vector<int64_t> contexts, ContextMode mode) {
  ContextSettings settings;
  settings.contexts = std::move(contexts);
  settings.mode = mode;
  settings.evaluation.segment_length = kSegment;
  return settings;
}

TEST_CASE("Strict: every length scores the same targets, each from its own window alone") {
  const lc::TokenFile text = TinyText::of_documents({75, 12, 50}, kTinyVocabulary).file();
  for (const auto& section : {tiny_xl(5, "segment"), tiny_xl(5, "fixed"), tiny_xl(5, "reference"),
                              tiny_vanilla(), tiny_compressive("separate"), tiny_infini()}) {
    CAPTURE(section.dump());
    const TinyModel tiny(section, at::kDouble);
    const bool vanilla = section.at("type") == "vanilla";
    const bool xl = section.at("type") == "transformer_xl";
    // Slots of the compressive model are filled by four inputs each.
    const int64_t segment = vanilla || xl ? kSegment : 8;
    ContextSettings settings = settings_of({20, 0, 3, 20}, ContextMode::kStrict);
    settings.evaluation.segment_length = segment;
    settings.evaluation.boundaries = Boundaries::kReset;
    settings.evaluation.sequence_segments = 2;  // strict context ignores it
    const ContextSweep sweep = context_sweep(tiny.source(), text, settings);
    REQUIRE(sweep.points.size() == 3);
    for (const lc::ContextPoint& point : sweep.points) {
      const int64_t c = point.context;
      const lc::TokenScores& scores = point.evaluation.scores;
      CHECK(scores.targets == sweep.points.front().evaluation.scores.targets);
      CHECK(scores.size() == 54 + 29);
      // Transformer-XL's memory is as long as the context; the others keep their own.
      nlohmann::json own = section;
      const bool counts_itself =
          xl && section.at("transformer_xl").at("attention_span") == "reference";
      if (xl) own["transformer_xl"]["memory_length"] = counts_itself ? c + 1 : c;
      const TinyModel alone(own, at::kDouble);
      const int64_t stride = std::max<int64_t>(1, (c + 1) / 8);
      double visible = 0;
      for (size_t i = 0; i < scores.targets.size(); ++i) {
        const int64_t begin = scores.targets[i] < 75 ? 0 : 87;
        const int64_t input = scores.targets[i] - 1 - begin;
        const int64_t k = input < c + 1 ? 0 : (input - c - 1) / stride + 1;
        const lc::Run run{.first = begin + k * stride, .count = input + 1 - k * stride};
        visible += static_cast<double>(run.count);
        CHECK(scores.nll[i] ==
              Approx(last_loss(*alone.model, text, run, vanilla ? c + 1 : segment)).margin(1e-9));
      }
      CHECK(point.mean_visible == Approx(visible / static_cast<double>(scores.size())));
    }
    CHECK(sweep.points.front().mean_visible == 1);
    CHECK(sweep.protocol.at("mode") == "strict");
    CHECK(sweep.protocol.at("predecessors") == 20);
  }
}

TEST_CASE("Span: one pass with a fixed span of c, which L layers carry L times as far") {
  const lc::TokenFile text = TinyText::of_documents({120}, kTinyVocabulary).file();
  const TinyModel tiny(tiny_xl(5, "segment"), at::kDouble);
  const ContextSweep sweep =
      context_sweep(tiny.source(), text, settings_of({0, 4, 30}, ContextMode::kSpan));
  for (const lc::ContextPoint& point : sweep.points) {
    const int64_t c = point.context;
    const TinyModel alone(tiny_xl(c, "fixed"), at::kDouble);
    const lc::TokenScores& scores = point.evaluation.scores;
    CHECK(scores.size() == 119 - 30);
    double visible = 0;
    for (size_t i = 0; i < scores.targets.size(); ++i) {
      const int64_t input = scores.targets[i] - 1;
      // Nothing further back than the reach can matter, so the pass may start there.
      const int64_t first = std::max<int64_t>(input - 3 * c, 0);
      visible += static_cast<double>(input - first + 1);
      const lc::Run run{.first = first, .count = input - first + 1};
      CHECK(scores.nll[i] == Approx(last_loss(*alone.model, text, run, 200)).margin(1e-9));
    }
    CHECK(point.mean_visible == Approx(visible / static_cast<double>(scores.size())));
  }
  CHECK(sweep.points[1].mean_visible == 13);
}

TEST_CASE("A window longer than a table of positions is refused before anything is scored") {
  // The text has another vocabulary than the model, which the first window to be scored would find.
  const lc::TokenFile text = TinyText::of_documents({100}, kTinyVocabulary + 1).file();
  nlohmann::json model = tiny_vanilla();
  model["positions"] = {{"scheme", "learned"}, {"max_positions", 20}};
  const TinyModel tiny(model, at::kFloat);
  const auto fault = [&](const std::vector<int64_t>& contexts) -> std::string {
    try {
      context_sweep(tiny.source(), text, settings_of(contexts, ContextMode::kStrict));
    } catch (const lc::Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(
      fault({0, 20}).starts_with("context 20: 21 tokens have more positions than the table has "));
  CHECK(fault({0, 19}).find("vocabulary") != std::string::npos);
}

TEST_CASE("A limit of targets, and the rows that are printed") {
  const lc::TokenFile text = TinyText::of_documents({3000}, kTinyVocabulary).file();
  const TinyModel tiny(tiny_xl(5, "segment"), at::kFloat);
  ContextSettings settings = settings_of({0, 8}, ContextMode::kStrict);
  settings.evaluation.tokens = 2000;
  const ContextSweep sweep = context_sweep(tiny.source(), text, settings);
  CHECK(sweep.points[0].evaluation.scores.targets.front() == 9);
  CHECK(sweep.points[0].evaluation.scores.targets.back() == 2008);
  CHECK(sweep.points[0].evaluation.skipped.at("short_of_predecessors") == 8);
  const nlohmann::json rows = sweep.contexts_json();
  REQUIRE(rows.size() == 2);
  for (const nlohmann::json& row : rows) {
    CHECK(row.size() == 7);
    CHECK(row.at("nats_low").get<double>() < row.at("nats_per_token").get<double>());
    CHECK(row.at("nats_high").get<double>() > row.at("nats_per_token").get<double>());
    CHECK(row.at("perplexity").get<double>() ==
          Approx(std::exp(row.at("nats_per_token").get<double>())));
  }
  CHECK(rows[0].at("context") == 0);
  CHECK(sweep.protocol.at("window") == nlohmann::json({1, 9}));
  CHECK(sweep.protocol.at("stride") == nlohmann::json({1, 1}));
  CHECK(rows[0].at("mean_visible") == 1);
}

TEST_CASE("A sweep leaves the model it came from as it was") {
  const lc::TokenFile text = TinyText::of_documents({60}, kTinyVocabulary).file();
  const TinyModel tiny(tiny_xl(5, "segment"), at::kDouble);
  lc::EvaluationSettings plain;
  plain.segment_length = kSegment;
  const auto before = evaluate_split(*tiny.model, text, plain).scores.nll;
  context_sweep(tiny.source(), text, settings_of({0, 20}, ContextMode::kStrict));
  CHECK(evaluate_split(*tiny.model, text, plain).scores.nll == before);
  CHECK(tiny.model->reach(1) == 15);
}

TEST_CASE("Sweeps that can't be done are refused") {
  const lc::TokenFile text = TinyText::of_documents({60, 60}, kTinyVocabulary).file();
  const TinyModel xl(tiny_xl(5, "segment"), at::kFloat);
  const TinyModel vanilla(tiny_vanilla(), at::kFloat);
  ContextSettings span = settings_of({4}, ContextMode::kSpan);
  CHECK_THROWS_AS(context_sweep(vanilla.source(), text, span), lc::Error);
  span.evaluation.sequence_segments = 2;
  CHECK_THROWS_AS(context_sweep(xl.source(), text, span), lc::Error);
  ContextSettings strict = settings_of({118}, ContextMode::kStrict);
  CHECK(context_sweep(xl.source(), text, strict).points[0].evaluation.scores.size() == 1);
  strict.contexts = {119};
  CHECK_THROWS_AS(context_sweep(xl.source(), text, strict), lc::Error);
}

TEST_CASE("Runtime values go by the flags of the model's type; others are refused by name") {
  const TinyModel vanilla(tiny_vanilla(), at::kFloat);
  const lc::Config narrow = with_runtime_values(vanilla.table, vanilla.config, {{"span", 4}});
  CHECK(narrow.get<int64_t>("model.vanilla.attention_window") == 4);
  CHECK(lc::model_protocol(narrow).at("span") == 4);
  CHECK_THROWS_AS(with_runtime_values(vanilla.table, vanilla.config, {{"memory", 4}}), lc::Error);
  CHECK_THROWS_AS(with_runtime_values(vanilla.table, vanilla.config, {{"span", 0}}), lc::Error);
  // Only one scheme of positions clamps distances, and it isn't this one.
  CHECK_THROWS_AS(with_runtime_values(vanilla.table, vanilla.config, {{"clamp", 4}}), lc::Error);
  const lc::Config idle = vanilla.config.with(vanilla.table, "model.positions.clamp_length", 4);
  CHECK(lc::model_protocol(idle).at("clamp").is_null());

  const TinyModel xl(tiny_xl(5, "segment"), at::kDouble);
  const auto longer = lc::rebuild(
      *xl.model, with_runtime_values(xl.table, xl.config, {{"memory", 11}, {"span", "fixed"}}));
  CHECK(longer->reach(1) == 33);
  const auto weights = xl.model->parameters().named();
  const auto copied = longer->parameters().named();
  REQUIRE(weights.size() == copied.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    CHECK(weights[i].first == copied[i].first);
    CHECK(at::equal(weights[i].second, copied[i].second));
    CHECK(weights[i].second.data_ptr() != copied[i].second.data_ptr());
  }
}

}  // namespace

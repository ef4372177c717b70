// The speed of evaluation: work and losses are exact, times only bounded.
#include "eval/speed.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "catch.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include "data/tiny_text.h"
#include "eval/context_sweep.h"
#include "eval/tiny_model.h"
#include "models/registry.h"

namespace lc {
namespace {

SpeedSettings speed_settings(std::vector<int64_t> contexts) {
  SpeedSettings settings;
  settings.contexts = std::move(contexts);
  settings.repetitions = 1;
  settings.evaluation.segment_length = 8;
  settings.evaluation.tokens = 40;
  return settings;
}

TinyModel one_layer(const nlohmann::json& section) {
  TinyModel tiny(section, at::kDouble);
  tiny.config = tiny.config.with(tiny.table, "model.layers", 1);
  tiny.model = build_model(tiny.config, {kTinyVocabulary, {at::kDouble, at::kCPU, 5}});
  return tiny;
}

}  // namespace

TEST_CASE("speed: memory runs each input once, sliding by one runs the whole window for each") {
  const TokenFile text = TinyText::of_documents({200}, kTinyVocabulary).file();
  const TinyModel tiny(tiny_xl(5, "fixed"), at::kDouble);
  const SpeedTest test = speed_test(tiny.source(), text, speed_settings({12, 3, 12}));
  REQUIRE(test.points.size() == 2);
  for (const SpeedPoint& point : test.points) {
    CHECK(point.targets == 40);
    CHECK(point.evaluation.inputs == 1);
    CHECK(point.sliding.inputs == static_cast<double>(point.context + 1));
    CHECK(point.theory() == static_cast<double>(point.context + 1));
    CHECK(point.evaluation.lanes == 1);
  }
  CHECK(test.points[0].context == 3);
  CHECK(test.protocol.at("evaluation") == "memory");
  CHECK(test.protocol.at("memory") == "context");
  // The model that was given is as it was.
  CHECK(tiny.model->reach(1) == 15);
}

TEST_CASE("speed: with one layer and a fixed span both ways give the same losses") {
  const TokenFile text = TinyText::of_documents({200}, kTinyVocabulary).file();
  const TinyModel shallow = one_layer(tiny_xl(5, "fixed"));
  for (const SpeedPoint& point :
       speed_test(shallow.source(), text, speed_settings({3, 12})).points) {
    CHECK(point.evaluation.nats == Approx(point.sliding.nats).margin(1e-10));
  }
  // Three layers reach three times as far back as the window.
  const TinyModel deep(tiny_xl(5, "fixed"), at::kDouble);
  const SpeedPoint point = speed_test(deep.source(), text, speed_settings({3})).points[0];
  CHECK(std::abs(point.evaluation.nats - point.sliding.nats) > 1e-4);
}

TEST_CASE("speed: what slides is the strict context, and memory is the evaluation of the split") {
  const TokenFile text = TinyText::of_documents({200}, kTinyVocabulary).file();
  for (const ModelEntry& entry : model_registry()) {
    const nlohmann::json section =
        entry.type == "vanilla" ? tiny_vanilla() : nlohmann::json{{"type", entry.type}};
    INFO(entry.type);
    const TinyModel tiny(section, at::kDouble);
    SpeedSettings settings = speed_settings({16});
    const SpeedPoint point = speed_test(tiny.source(), text, settings).points[0];
    ContextSettings strict;
    strict.contexts = {16};
    strict.stride = 1;
    strict.evaluation = settings.evaluation;
    const ContextSweep swept = context_sweep(tiny.source(), text, strict);
    CHECK(point.sliding.nats ==
          Approx(*swept.points[0].evaluation.measures.nats_per_token).margin(1e-9));
    CHECK(point.sliding.inputs == 17);
    if (!tiny.model->has_memory()) {
      // Targets of inputs 16 to 55: windows from 0, 8, 16, 24 and 32, and one of 16 from 40.
      CHECK(point.evaluation.inputs == (5 * 17 + 16) / 40.0);
      continue;
    }
    CHECK(point.evaluation.inputs == 1);
    EvaluationSettings whole = settings.evaluation;
    whole.tokens = {};
    const auto model =
        rebuild(*tiny.model, context_config(tiny.source(), ContextMode::kStrict, 16));
    const TokenScores scores = evaluate_split(*model, text, whole).scores.within(17, 40);
    REQUIRE(scores.size() == 40);
    double sum = 0;
    for (const double nll : scores.nll) sum += nll;
    CHECK(point.evaluation.nats == Approx(sum / 40).margin(1e-9));
  }
}

TEST_CASE("speed: seconds are of one target, and no more than were spent") {
  const TokenFile text = TinyText::of_documents({200}, kTinyVocabulary).file();
  const TinyModel tiny(tiny_xl(5, "fixed"), at::kFloat);
  const Stopwatch clock;
  const SpeedPoint point = speed_test(tiny.source(), text, speed_settings({30})).points[0];
  for (const Pace& pace : {point.evaluation, point.sliding}) {
    CHECK(pace.cpu_seconds > 0);
    CHECK(pace.wall_seconds > 0);
    CHECK(40 * pace.cpu_seconds < clock.cpu_seconds());
    CHECK(40 * pace.wall_seconds < clock.seconds());
  }
}

TEST_CASE("speed: what can't be measured is refused") {
  const TokenFile text = TinyText::of_documents({60}, kTinyVocabulary).file();
  const TinyModel tiny(tiny_xl(5, "fixed"), at::kFloat);
  CHECK_THROWS_AS(speed_test(tiny.source(), text, speed_settings({4, 0})), Error);
  CHECK_THROWS_AS(speed_test(tiny.source(), text, speed_settings({60})), Error);
}

}  // namespace lc

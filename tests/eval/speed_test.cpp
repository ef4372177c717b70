// The speed of evaluation: work and losses are exact, times only bounded.
#include "eval/speed.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include "data/segment_stream.h"
#include "data/tiny_text.h"
#include "eval/contexts/context_sweep.h"
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

// The sum over the targets of inputs 16 to 55 of windows of 17 that score 8 each.
double nats_in_windows(const LanguageModel& model, const TokenFile& text) {
  double nats = 0;
  for (int64_t first = 7; first < 47; first += 8) {
    const Run run{.first = first, .count = 17, .position = first};
    const SegmentStream window(text, LanePlan({{run}}, 17), 0, LossPart::kAll);
    const at::Tensor nll_BT =
        model.step(window.at(0), model.initial_memory(1, MemoryUse::kTraining), {}).nll_BT;
    nats += nll_BT.narrow(1, 9, 8).sum().item<double>();
  }
  return nats;
}

void check_refused(const TinyModel& tiny, const TokenFile& text,
                   const std::vector<int64_t>& lengths, ErrorKind kind,
                   const std::string& fragment) {
  try {
    speed_test(tiny.source(), text, speed_settings(lengths));
    FAIL("must be refused: " << fragment);
  } catch (const Error& error) {
    CHECK(error.kind() == kind);
    CHECK(std::string(error.what()).find(fragment) != std::string::npos);
  }
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

TEST_CASE("speed: memory is timed on one lane, without lead-ins, whatever lanes are asked for") {
  const TokenFile text = TinyText::of_documents({200}, kTinyVocabulary).file();
  const TinyModel tiny(tiny_xl(5, "fixed"), at::kDouble);
  for (const int64_t lanes : {1, 2, 4}) {
    SpeedSettings settings = speed_settings({12});
    settings.evaluation.lanes = lanes;
    const SpeedPoint point = speed_test(tiny.source(), text, settings).points[0];
    CHECK(point.evaluation.inputs == 1);
    CHECK(point.evaluation.lanes == 1);
    CHECK(point.theory() == 13);
  }
}

TEST_CASE("speed: segments are whole, however few targets are asked for") {
  const TokenFile text = TinyText::of_documents({200}, kTinyVocabulary).file();
  const TinyModel tiny(tiny_xl(5, "fixed"), at::kDouble);
  for (const auto& [asked, whole] :
       std::vector<std::pair<int64_t, int64_t>>{{1, 8}, {8, 8}, {9, 16}, {40, 40}}) {
    SpeedSettings settings = speed_settings({12});
    settings.evaluation.tokens = asked;
    const SpeedPoint point = speed_test(tiny.source(), text, settings).points[0];
    CHECK(point.targets == asked);
    CHECK(point.sliding.targets == asked);
    CHECK(point.evaluation.targets == whole);
    CHECK(point.evaluation.inputs == 1);
    CHECK(point.theory() == 13);
  }
}

TEST_CASE("speed: windows moved by half are whole, whatever targets and contexts are asked for") {
  const TinyModel tiny(tiny_vanilla(), at::kDouble);
  const TokenFile text = TinyText::of_documents({200}, kTinyVocabulary).file();
  // Inputs 152 to 198 have 152 before them: 47 targets, fewer than a stride at 150.
  const std::vector<std::pair<std::optional<int64_t>, int64_t>> asked = {
      {40, 40}, {3, 3}, {{}, 47}};
  for (const auto& [tokens, targets] : asked) {
    SpeedSettings settings = speed_settings({4, 16, 60, 150});
    settings.evaluation.tokens = tokens;
    for (const SpeedPoint& point : speed_test(tiny.source(), text, settings).points) {
      const auto length = static_cast<double>(point.context + 1);
      const auto stride = static_cast<double>((point.context + 1) / 2);
      INFO(point.context);
      CHECK(point.targets == targets);
      CHECK(point.evaluation.inputs == length / stride);
      CHECK(point.sliding.inputs == length);
      CHECK(point.theory() == Approx(stride));
    }
  }
  // 37 targets of the first document, 3 of the last: windows end with documents.
  const TokenFile documents = TinyText::of_documents({70, 5, 90}, kTinyVocabulary).file();
  SpeedSettings settings = speed_settings({30});
  settings.evaluation.boundaries = Boundaries::kReset;
  const SpeedPoint point = speed_test(tiny.source(), documents, settings).points[0];
  CHECK(point.targets == 40);
  CHECK(point.evaluation.inputs == 31 / 15.0);
  CHECK(point.sliding.inputs == 31);
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
      CHECK(point.evaluation.inputs == 17 / 8.0);
      CHECK(point.evaluation.nats == Approx(nats_in_windows(*tiny.model, text) / 40).margin(1e-9));
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
  check_refused(tiny, text, {4, 0}, ErrorKind::kUsage, "0 leaves no context to carry");
  check_refused(tiny, text, {60}, ErrorKind::kData, "no token of the split has 64 tokens before");
}

}  // namespace lc

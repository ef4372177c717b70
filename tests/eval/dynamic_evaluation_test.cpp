// Dynamic evaluation: against plain evaluation where they must agree, against a slow loop where the
// weights learn, and what it must never do: look ahead, or touch the trained model.
#include "eval/dynamic/dynamic_evaluation.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "catch.h"
#include "core/error.h"
#include "data/segment_stream.h"
#include "data/tiny_text.h"
#include "eval/tiny_model.h"
#include "models/registry.h"

namespace lc {
namespace {

constexpr int64_t kLength = 7;

TinyText dynamic_text() { return TinyText::of_documents({52, 2, 31}, kTinyVocabulary); }

EvaluationSettings dynamic_base(Boundaries boundaries = Boundaries::kStream) {
  EvaluationSettings settings;
  settings.segment_length = kLength;
  settings.boundaries = boundaries;
  return settings;
}

DynamicSettings sgd(double rate, double decay = 0) {
  return {{DynamicRule::kSgd, rate, decay}, {}, 500};
}

DynamicSettings rms(double rate, double decay, const TokenFile& train) {
  return {{DynamicRule::kRms, rate, decay, 1e-3}, train, 4};
}

std::vector<nlohmann::json> sections() {
  std::vector<nlohmann::json> all;
  for (const ModelEntry& entry : model_registry()) {
    all.push_back(entry.type == "vanilla" ? tiny_vanilla() : nlohmann::json{{"type", entry.type}});
  }
  return all;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// Scores of the runs, one after the other, with one step of sgd on each segment; by hand.
std::vector<double> slow_sgd(const nlohmann::json& section, const TokenFile& text,
                             const std::vector<Run>& runs, const DynamicStep& step) {
  const TinyModel tiny(section, at::kDouble);
  const auto& all = tiny.model->parameters().all();
  std::vector<at::Tensor> trained;
  for (const Parameter& parameter : all) trained.push_back(parameter.value.detach().clone());
  std::vector<double> scores;
  for (const Run& run : runs) {
    auto memory = tiny.model->initial_memory(1, MemoryUse::kTraining);
    for (int64_t done = 0; done < run.count; done += kLength) {
      const int64_t count = std::min(kLength, run.count - done);
      const Run part{.first = run.first + done, .count = count, .position = run.position + done};
      Segment segment = SegmentStream(text, LanePlan({{part}}, kLength), 0, LossPart::kAll).at(0);
      segment.starts_B = {static_cast<char>(done == 0)};
      StepResult result = tiny.model->step(segment, std::move(memory), {});
      memory = result.memory.detach();
      const int64_t unscored = std::clamp<int64_t>(run.lead_in - done, 0, count);
      if (unscored == count) continue;
      const at::Tensor scored = result.nll_BT[0].narrow(0, unscored, count - unscored);
      for (int64_t t = 0; t < scored.numel(); ++t) scores.push_back(scored[t].item<double>());
      scored.mean().backward();
      for (size_t i = 0; i < all.size(); ++i) {
        at::Tensor now = all[i].value.detach();
        const at::Tensor gradient = all[i].value.grad();
        const at::Tensor back = (trained[i] - now) * step.decay;
        now.add_(gradient.defined() ? back - gradient * step.learning_rate : back);
        all[i].value.mutable_grad().reset();
      }
      tiny.model->after_update();
    }
  }
  return scores;
}

}  // namespace

TEST_CASE("dynamic evaluation at rate 0 is plain evaluation, for every type and rule") {
  const TokenFile text = dynamic_text().file();
  for (const nlohmann::json& section : sections()) {
    INFO(section.dump());
    const TinyModel tiny(section, at::kDouble);
    for (const Boundaries boundaries : {Boundaries::kStream, Boundaries::kReset}) {
      EvaluationSettings settings = dynamic_base(boundaries);
      const Evaluation plain = evaluate_split(*tiny.model, text, settings);
      for (const DynamicSettings& still : {sgd(0, 0.3), rms(0, 0.3, text)}) {
        const DynamicEvaluation dynamic =
            evaluate_dynamically(tiny.source(), text, settings, still);
        CHECK(dynamic.evaluation.scores.targets == plain.scores.targets);
        CHECK(largest_difference(dynamic.evaluation.scores.nll, plain.scores.nll) < 1e-12);
        CHECK(*dynamic.comparison.plain.nats_per_token ==
              Approx(*plain.measures.nats_per_token).epsilon(1e-12));
        CHECK(std::abs(dynamic.comparison.difference.nats_per_token) < 1e-12);
        CHECK(dynamic.evaluation.skipped == plain.skipped);
      }
    }
  }
}

TEST_CASE("the first segment is scored with the trained weights, the second no longer") {
  const TokenFile text = dynamic_text().file();
  for (const nlohmann::json& section : sections()) {
    INFO(section.dump());
    const TinyModel tiny(section, at::kDouble);
    const TokenScores plain = evaluate_split(*tiny.model, text, dynamic_base()).scores;
    for (const DynamicSettings& learning : {sgd(0.1, 0.01), rms(1e-3, 0.01, text)}) {
      const TokenScores scores =
          evaluate_dynamically(tiny.source(), text, dynamic_base(), learning).evaluation.scores;
      CHECK(largest_difference(scores.within(0, kLength + 1).nll,
                               plain.within(0, kLength + 1).nll) < 1e-12);
      CHECK(largest_difference(scores.within(kLength + 1, kLength).nll,
                               plain.within(kLength + 1, kLength).nll) > 1e-6);
    }
  }
}

TEST_CASE("dynamic evaluation equals a slow loop of scoring, then one step") {
  const TokenFile text = dynamic_text().file();
  const DynamicSettings learning = sgd(0.05, 0.2);
  const auto scores_of = [&](const nlohmann::json& section, const EvaluationSettings& settings) {
    const TinyModel tiny(section, at::kDouble);
    return evaluate_dynamically(tiny.source(), text, settings, learning).evaluation.scores.nll;
  };
  for (const nlohmann::json& section : sections()) {
    if (section.at("type") == "vanilla") continue;
    INFO(section.dump());
    CHECK(largest_difference(scores_of(section, dynamic_base()),
                             slow_sgd(section, text, {{.count = 84}}, learning.step)) < 1e-10);
  }
  // Windows of 7 every 3: each target is learned from once, in the order of the text.
  std::vector<Run> windows = {{.first = 0, .count = 7}};
  for (int64_t start = 3; windows.back().first + windows.back().count < 84; start += 3) {
    const int64_t scored = windows.back().first + windows.back().count;
    const int64_t end = std::min<int64_t>(start + 7, 84);
    windows.push_back(
        {.first = start, .count = end - start, .lead_in = scored - start, .position = start});
  }
  EvaluationSettings sliding = dynamic_base();
  sliding.stride = 3;
  CHECK(largest_difference(scores_of(tiny_vanilla(), sliding),
                           slow_sgd(tiny_vanilla(), text, windows, learning.step)) < 1e-10);
  // Where memory begins anew inside the text, weights go on learning.
  EvaluationSettings sequences = dynamic_base();
  sequences.sequence_segments = 3;
  std::vector<Run> parts;
  for (int64_t first = 0; first < 84; first += 21) parts.push_back({.first = first, .count = 21});
  CHECK(largest_difference(scores_of(tiny_xl(5, "segment"), sequences),
                           slow_sgd(tiny_xl(5, "segment"), text, parts, learning.step)) < 1e-10);
}

TEST_CASE("with boundaries reset, a document's losses depend on no other document") {
  const TinyText whole = dynamic_text();
  const TokenFile text = whole.file();
  TinyText last;
  last.vocab_size = kTinyVocabulary;
  last.ids = {whole.ids.begin() + 54, whole.ids.end()};
  last.documents = {{0, 31, 31, 31, 31, ""}};
  const TokenFile alone = last.file();
  const TinyModel tiny(tiny_xl(5, "segment"), at::kDouble);
  EvaluationSettings settings = dynamic_base(Boundaries::kReset);
  settings.sequence_segments = 2;
  const auto scores = [&](const TokenFile& tokens) {
    return evaluate_dynamically(tiny.source(), tokens, settings, sgd(0.1)).evaluation;
  };
  const Evaluation both = scores(text);
  CHECK(both.protocol.at("dynamic").at("begins_anew") == "at each document");
  CHECK(both.scores.within(54, 31).nll == scores(alone).scores.nll);
}

TEST_CASE("a later token never changes an earlier score, though the model learns") {
  TinyText text = dynamic_text();
  const TinyModel tiny(tiny_xl(5, "segment"), at::kDouble);
  const auto scores = [&] {
    return evaluate_dynamically(tiny.source(), text.file(), dynamic_base(), sgd(0.1))
        .evaluation.scores;
  };
  const TokenScores before = scores();
  text.ids[40] = (text.ids[40] + 1) % kTinyVocabulary;
  const TokenScores after = scores();
  CHECK(before.within(0, 40).nll == after.within(0, 40).nll);
  CHECK(before.within(43, 42).nll != after.within(43, 42).nll);
}

TEST_CASE("the trained model is as it was, and what repeats is learned") {
  const TokenFile text = TinyText::of_documents({400}, kTinyVocabulary).file();
  const TinyModel tiny(tiny_xl(5, "segment"), at::kDouble);
  std::vector<at::Tensor> trained;
  for (const auto& [name, value] : tiny.model->parameters().named()) {
    trained.push_back(value.clone());
  }
  const TokenScores before = evaluate_split(*tiny.model, text, dynamic_base()).scores;
  const DynamicEvaluation dynamic =
      evaluate_dynamically(tiny.source(), text, dynamic_base(), sgd(0.05));
  const auto& named = tiny.model->parameters().named();
  for (size_t i = 0; i < trained.size(); ++i) CHECK(at::equal(named[i].second, trained[i]));
  for (const Parameter& parameter : tiny.model->parameters().all()) {
    CHECK(!parameter.value.grad().defined());
  }
  CHECK(evaluate_split(*tiny.model, text, dynamic_base()).scores.nll == before.nll);

  const DynamicComparison& comparison = dynamic.comparison;
  CHECK(comparison.difference.nats_per_token < -0.1);
  CHECK(comparison.difference.nats_per_token ==
        Approx(*dynamic.evaluation.measures.nats_per_token - *comparison.plain.nats_per_token));
  // 399, 199 and 99 targets; the means by hand.
  REQUIRE(comparison.along.size() == 3);
  for (const DynamicPoint& point : comparison.along) {
    double sum = 0;
    double plain = 0;
    for (size_t i = 0; i < static_cast<size_t>(point.tokens); ++i) {
      sum += dynamic.evaluation.scores.nll[i];
      plain += before.nll[i];
    }
    CHECK(point.nats == Approx(sum / static_cast<double>(point.tokens)));
    CHECK(point.plain_nats == Approx(plain / static_cast<double>(point.tokens)));
  }
  CHECK(comparison.along[0].tokens == 99);
  CHECK(comparison.along[2].tokens == 399);
}

TEST_CASE("the statistics of rms are those of the training text's first segments, one by one") {
  const TokenFile text = dynamic_text().file();
  const TokenFile train = TinyText::of_documents({90}, kTinyVocabulary).file();
  const auto section = tiny_xl(5, "segment");
  const TinyModel tiny(section, at::kDouble);
  // By hand: four segments of train, no update between them.
  std::vector<at::Tensor> squares;
  auto memory = tiny.model->initial_memory(1, MemoryUse::kTraining);
  const SegmentStream stream(train, LanePlan({{{.count = 89}}}, kLength), 0, LossPart::kAll);
  for (int64_t s = 0; s < 4; ++s) {
    StepResult result = tiny.model->step(stream.at(s), std::move(memory), {});
    memory = result.memory.detach();
    result.nll_BT.mean().backward();
    size_t i = 0;
    for (const Parameter& parameter : tiny.model->parameters().all()) {
      const at::Tensor square = parameter.value.grad().square() / 4;
      if (s == 0) squares.push_back(square);
      if (s > 0) squares[i].add_(square);
      ++i;
      parameter.value.mutable_grad().reset();
    }
  }
  // Then the second segment of the text is scored after one step with them.
  const double lr = 1e-3;
  const double epsilon = 1e-3;
  const TinyModel stepped(section, at::kDouble);
  const SegmentStream scored(text, LanePlan({{{.count = 84}}}, kLength), 0, LossPart::kAll);
  StepResult first =
      stepped.model->step(scored.at(0), stepped.model->initial_memory(1, MemoryUse::kTraining), {});
  first.nll_BT.mean().backward();
  for (size_t i = 0; i < squares.size(); ++i) {
    const at::Tensor& value = stepped.model->parameters().all()[i].value;
    at::Tensor now = value.detach();
    now.sub_(value.grad() / (squares[i].sqrt() + epsilon) * lr);
  }
  stepped.model->after_update();
  const StepResult second = stepped.model->step(scored.at(1), first.memory.detach(), {});
  const TokenScores scores =
      evaluate_dynamically(tiny.source(), text, dynamic_base(), rms(lr, 0.1, train))
          .evaluation.scores;
  for (int64_t t = 0; t < kLength; ++t) {
    CHECK(scores.nll[static_cast<size_t>(kLength + t)] ==
          Approx(second.nll_BT[0][t].item<double>()).epsilon(1e-10));
  }
}

TEST_CASE("dynamic evaluation says what it did, and refuses what it can't do exactly") {
  const TokenFile text = dynamic_text().file();
  const TinyModel tiny(tiny_xl(5, "segment"), at::kDouble);
  const auto with = [&](const EvaluationSettings& settings, const DynamicSettings& dynamic) {
    return evaluate_dynamically(tiny.source(), text, settings, dynamic).evaluation.protocol;
  };
  const nlohmann::json plain = with(dynamic_base(), sgd(0.1, 0.5));
  CHECK(plain.at("dynamic") ==
        nlohmann::json{{"rule", "sgd"}, {"lr", 0.1}, {"decay", 0.5}, {"begins_anew", "never"}});
  CHECK(plain.at("lanes") == 1);
  CHECK(plain.at("mode") == "memory");
  const nlohmann::json scaled = with(dynamic_base(), rms(1e-4, 0, text)).at("dynamic");
  CHECK(scaled.at("epsilon") == 1e-3);
  CHECK(scaled.at("statistics_segments") == 4);
  // 29 inputs make 5 segments, fewer than are asked for.
  DynamicSettings few = rms(1e-4, 0, TinyText::of_documents({30}, kTinyVocabulary).file());
  few.statistics_segments = 500;
  CHECK(with(dynamic_base(), few).at("dynamic").at("statistics_segments") == 5);

  EvaluationSettings lanes = dynamic_base();
  lanes.lanes = 2;
  CHECK_THROWS_AS(with(lanes, sgd(0.1)), Error);
  EvaluationSettings reference = dynamic_base();
  reference.lane_split = LaneSplit::kReference;
  CHECK_THROWS_AS(with(reference, sgd(0.1)), Error);
  DynamicSettings no_text = rms(0.1, 0, text);
  no_text.train.reset();
  CHECK_THROWS_AS(with(dynamic_base(), no_text), Error);
  CHECK_THROWS_AS(with(dynamic_base(), sgd(-0.1)), Error);
  CHECK_THROWS_AS(with(dynamic_base(), sgd(0.1, 1.5)), Error);
  CHECK_THROWS_AS(with(dynamic_base(), sgd(std::numeric_limits<double>::quiet_NaN())), Error);
  try {
    with(dynamic_base(), sgd(1e300));
    FAIL("a rate that breaks the weights must be refused");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kDiverged);
  }
}

}  // namespace lc

#include "eval/stream_evaluation.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "catch.h"
#include "core/error.h"
#include "data/segment_stream.h"
#include "data/tiny_text.h"
#include "eval/tiny_model.h"

namespace {

using lc::Boundaries;
using lc::Evaluation;
using lc::EvaluationSettings;
using lc::TokenScores;

TinyText tiny_text() { return TinyText::of_documents({83, 2, 61, 1, 40}, kTinyVocabulary); }

void check_close(const TokenScores& a, const TokenScores& b, double tolerance) {
  REQUIRE(a.targets == b.targets);
  double largest = 0;
  for (size_t i = 0; i < a.nll.size(); ++i) {
    largest = std::max(largest, std::abs(a.nll[i] - b.nll[i]));
  }
  CHECK(largest < tolerance);
}

// How near to each other losses of the same text must be that are computed in another order.
struct Precision {
  at::ScalarType dtype;
  double tolerance;  // of each loss and of their mean
  double deviation;  // of the model's weights
};
// With the large weights of tiny models losses reach 9 nats and are wrong by up to 1e-5 in float32,
// whatever the order; with weights half as large they are wrong by 1e-6.
constexpr Precision kPrecisions[] = {{at::kDouble, 1e-9, kTinyDeviation},
                                     {at::kFloat, 1e-5, kTinyDeviation / 2}};

TinyModel xl_in(const Precision& precision, int64_t memory, const char* span) {
  nlohmann::json section = tiny_xl(memory, span);
  section["init_std"] = precision.deviation;
  return TinyModel(section, precision.dtype);
}

TEST_CASE("Lanes never change a result of Transformer-XL") {
  const lc::TokenFile text = tiny_text().file();
  for (const Precision& precision : kPrecisions) {
    for (const char* span : {"segment", "fixed", "reference"}) {
      for (const int64_t memory : {3, 7, 8, 15}) {
        INFO(precision.dtype << ", " << span << " span, memory " << memory);
        const TinyModel tiny = xl_in(precision, memory, span);
        for (const Boundaries boundaries : {Boundaries::kStream, Boundaries::kReset}) {
          for (const int64_t sequence : {0, 3}) {
            EvaluationSettings settings;
            settings.segment_length = 7;
            settings.boundaries = boundaries;
            settings.sequence_segments = sequence;
            settings.lanes = 1;
            const Evaluation one = evaluate_split(*tiny.model, text, settings);
            for (const int64_t lanes : {2, 4, 9}) {
              settings.lanes = lanes;
              const Evaluation several = evaluate_split(*tiny.model, text, settings);
              check_close(several.scores, one.scores, precision.tolerance);
              CHECK(std::abs(*several.measures.nats_per_token - *one.measures.nats_per_token) <
                    precision.tolerance);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("Segment length changes nothing with a fixed or reference span") {
  const lc::TokenFile text = tiny_text().file();
  for (const Precision& precision : kPrecisions) {
    for (const char* span : {"fixed", "reference"}) {
      INFO(precision.dtype << ", " << span << " span");
      const TinyModel tiny = xl_in(precision, 6, span);
      EvaluationSettings settings;
      settings.segment_length = 1;
      const Evaluation one = evaluate_split(*tiny.model, text, settings);
      for (const int64_t length : {2, 5, 6, 11, 64, 500}) {
        settings.segment_length = length;
        check_close(evaluate_split(*tiny.model, text, settings).scores, one.scores,
                    precision.tolerance);
      }
    }
  }
  const TinyModel tiny(tiny_xl(6, "segment"), at::kDouble);
  EvaluationSettings settings;
  settings.segment_length = 5;
  const double five = *evaluate_split(*tiny.model, text, settings).measures.nats_per_token;
  settings.segment_length = 11;
  const double eleven = *evaluate_split(*tiny.model, text, settings).measures.nats_per_token;
  CHECK(std::abs(five - eleven) > 1e-4);
}

// Losses of one pass over inputs [first, last) from initial memory, in segments of a length.
std::vector<double> one_pass(const lc::LanguageModel& model, const lc::TokenFile& text,
                             std::pair<int64_t, int64_t> inputs, int64_t segment_length) {
  const lc::LanePlan plan({{{.first = inputs.first, .count = inputs.second - inputs.first}}},
                          segment_length);
  const lc::SegmentStream stream(text, plan, 0, lc::LossPart::kAll);
  auto memory = model.initial_memory(1, lc::MemoryUse::kTraining);
  std::vector<double> nll;
  for (int64_t s = 0; s < stream.segments(); ++s) {
    lc::StepResult result = model.step(stream.at(s), std::move(memory), {});
    memory = result.memory.detach();
    const at::Tensor row = result.nll_BT.detach().to(at::kDouble)[0].contiguous();
    nll.insert(nll.end(), row.const_data_ptr<double>(), row.const_data_ptr<double>() + row.numel());
  }
  return nll;
}

TEST_CASE("The default of a model with memory is one pass over the text or each document") {
  const TinyText tiny_text_value = tiny_text();
  const lc::TokenFile text = tiny_text_value.file();
  const TinyModel tiny(tiny_xl(8, "segment"), at::kDouble);
  EvaluationSettings settings;
  settings.segment_length = 7;
  const Evaluation stream = evaluate_split(*tiny.model, text, settings);
  const std::vector<double> whole = one_pass(*tiny.model, text, {0, text.size() - 1}, 7);
  REQUIRE(stream.scores.nll.size() == whole.size());
  for (size_t i = 0; i < whole.size(); ++i) CHECK(stream.scores.nll[i] == Approx(whole[i]));

  settings.boundaries = Boundaries::kReset;
  const Evaluation reset = evaluate_split(*tiny.model, text, settings);
  std::vector<double> parts;
  for (const auto& document : tiny_text_value.documents) {
    if (document.tokens < 2) continue;
    const auto part = one_pass(
        *tiny.model, text, {document.first_token, document.first_token + document.tokens - 1}, 7);
    parts.insert(parts.end(), part.begin(), part.end());
  }
  REQUIRE(reset.scores.nll.size() == parts.size());
  for (size_t i = 0; i < parts.size(); ++i) CHECK(reset.scores.nll[i] == Approx(parts[i]));
  CHECK(reset.skipped.at("first_of_document") == 5);
}

TEST_CASE("Sliding windows equal a separate pass over exactly each context") {
  const lc::TokenFile text = tiny_text().file();
  for (const auto& section : {tiny_vanilla(), tiny_xl(0, "segment")}) {
    const TinyModel tiny(section, at::kDouble);
    for (const int64_t stride : {1, 4, 9}) {
      EvaluationSettings settings;
      settings.segment_length = 9;
      settings.stride = stride;
      const Evaluation evaluation = evaluate_split(*tiny.model, text, settings);
      CHECK(evaluation.protocol.at("mode") == (stride == 9 ? "segments" : "windows"));
      CHECK(evaluation.scores.size() == text.size() - 1);
      for (int64_t input = 0; input < text.size() - 1; ++input) {
        const int64_t k = input < 9 ? 0 : (input - 9) / stride + 1;
        const double alone = one_pass(*tiny.model, text, {k * stride, input + 1}, 9).back();
        CHECK(evaluation.scores.nll[static_cast<size_t>(input)] == Approx(alone).margin(1e-9));
      }
      settings.lanes = 3;
      check_close(evaluate_split(*tiny.model, text, settings).scores, evaluation.scores, 1e-9);
    }
  }
}

TEST_CASE("A window's stride is half of it unless asked for") {
  const lc::TokenFile text = tiny_text().file();
  const TinyModel tiny(tiny_vanilla(), at::kFloat);
  EvaluationSettings settings;
  settings.segment_length = 9;
  CHECK(evaluate_split(*tiny.model, text, settings).protocol.at("stride") == 4);
  settings.segment_length = 1;
  CHECK(evaluate_split(*tiny.model, text, settings).protocol.at("stride") == 1);
}

TEST_CASE("The first N targets alone: the same losses, and the rest is named as skipped") {
  const lc::TokenFile text = tiny_text().file();
  const TinyModel tiny(tiny_xl(8, "segment"), at::kDouble);
  EvaluationSettings settings;
  settings.segment_length = 7;
  const Evaluation whole = evaluate_split(*tiny.model, text, settings);
  settings.tokens = 50;
  const Evaluation part = evaluate_split(*tiny.model, text, settings);
  check_close(part.scores, whole.scores.within(0, 51), 1e-9);
  CHECK(part.skipped.at("past_limit") == text.size() - 51);
  CHECK(part.protocol.at("tokens_limit") == 50);
}

TEST_CASE("The reference's lane split scores cold lanes without their first tokens") {
  const lc::TokenFile text = tiny_text().file();
  const TinyModel tiny(tiny_xl(8, "segment"), at::kDouble);
  EvaluationSettings settings;
  settings.segment_length = 7;
  settings.lane_split = lc::LaneSplit::kReference;
  settings.lanes = 4;
  const Evaluation evaluation = evaluate_split(*tiny.model, text, settings);
  const int64_t rows = text.size() / 4;
  CHECK(evaluation.measures.tokens_scored == 4 * (rows - 1));
  CHECK(evaluation.protocol.at("mode") == "reference_lanes");
  for (int64_t b = 0; b < 4; ++b) {
    const auto alone = one_pass(*tiny.model, text, {b * rows, (b + 1) * rows - 1}, 7);
    const TokenScores lane = evaluation.scores.within(b * rows, rows);
    REQUIRE(lane.nll.size() == alone.size());
    for (size_t i = 0; i < alone.size(); ++i) CHECK(lane.nll[i] == Approx(alone[i]));
  }
}

TEST_CASE("The object of an evaluation holds every number and every choice") {
  const lc::TokenFile text = tiny_text().file();
  const TinyModel tiny(tiny_xl(8, "fixed"), at::kFloat);
  EvaluationSettings settings;
  settings.segment_length = 7;
  settings.model = lc::model_protocol(tiny.config);
  const nlohmann::json json = evaluate_split(*tiny.model, text, settings).to_json();
  std::set<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.insert(key);
  CHECK(keys == std::set<std::string>{"nats_per_token", "perplexity", "bits_per_token",
                                      "bits_per_byte", "bits_per_character", "word_perplexity",
                                      "tokens_total", "tokens_scored", "tokens_skipped",
                                      "protocol"});
  CHECK(json.at("tokens_total") == 187);
  CHECK(json.at("tokens_scored") == 186);
  CHECK(json.at("tokens_skipped") == 1);
  const nlohmann::json& protocol = json.at("protocol");
  CHECK(protocol.at("type") == "transformer_xl");
  CHECK(protocol.at("memory") == 8);
  CHECK(protocol.at("span") == "fixed");
  CHECK(protocol.at("segment") == 7);
  CHECK(protocol.at("boundaries") == "stream");
  CHECK(protocol.at("mode") == "memory");
  CHECK(protocol.at("window").is_null());
  CHECK(protocol.at("lane_split") == "exact");
  CHECK(protocol.at("skipped") == nlohmann::json{{"first_of_text", 1}});
  CHECK(protocol.at("intervals").at("resamples") == 2000);
  CHECK(protocol.at("intervals").at("nats_low").is_null());
  CHECK(protocol.at("intervals").at("word_perplexity_low").is_null());
  CHECK(protocol.at("reasons").contains("intervals"));
}

TEST_CASE("What can't be evaluated is refused") {
  const TinyModel xl(tiny_xl(8, "segment"), at::kFloat);
  const TinyModel vanilla(tiny_vanilla(), at::kFloat);
  const lc::TokenFile text = tiny_text().file();
  EvaluationSettings settings;
  settings.segment_length = 7;
  settings.stride = 2;
  CHECK_THROWS_AS(evaluate_split(*xl.model, text, settings), lc::Error);
  settings.stride = 8;
  CHECK_THROWS_AS(evaluate_split(*vanilla.model, text, settings), lc::Error);
  settings.stride = {};
  const lc::TokenFile other = TinyText::of_documents({30}, kTinyVocabulary + 1).file();
  CHECK_THROWS_AS(evaluate_split(*xl.model, other, settings), lc::Error);
  const lc::TokenFile one = TinyText::of_documents({1}, kTinyVocabulary).file();
  CHECK_THROWS_AS(evaluate_split(*xl.model, one, settings), lc::Error);
}

TEST_CASE("Settings come from the config: eval first, then as in training") {
  lc::OptionTable table;
  table.add(lc::eval_options());
  table.add({lc::Option::text("model.type", "vanilla"),
             lc::Option::integer("model.vanilla.attention_window", nullptr).or_null(),
             lc::Option::text("model.positions.scheme", "xl_relative"),
             lc::Option::integer("model.positions.clamp_length", nullptr).or_null(),
             lc::Option::integer("train.segment_length", 64), lc::Option::integer("train.lanes", 6),
             lc::Option::choice("data.boundaries", "stream", {"stream", "reset"}),
             lc::Option::choice("data.lane_split", "exact", {"exact", "reference"}),
             lc::Option::integer("data.sequence_segments", 5)});
  const auto settings_of = [&](const char* text) {
    return evaluation_settings(lc::Config::read(table, text, "test", {}));
  };
  const EvaluationSettings plain = settings_of("{}");
  CHECK(plain.segment_length == 64);
  CHECK(plain.sequence_segments == 5);
  CHECK(!plain.lanes);
  CHECK(!plain.tokens);
  CHECK(plain.model.at("type") == "vanilla");
  const EvaluationSettings given = settings_of(
      R"({"eval": {"segment_length": 32, "lanes": 3, "tokens": 100}, "data": {"boundaries": "reset"}})");
  CHECK(given.segment_length == 32);
  CHECK(given.lanes == 3);
  CHECK(given.tokens == 100);
  CHECK(given.boundaries == Boundaries::kReset);
  CHECK(settings_of(R"({"data": {"lane_split": "reference"}})").lanes == 6);
  CHECK_THROWS_AS(settings_of(R"({"data": {"lane_split": "reference", "boundaries": "reset"}})"),
                  lc::Error);
}

}  // namespace

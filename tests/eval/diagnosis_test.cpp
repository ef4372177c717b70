#include "eval/diagnosis.h"

#include <ATen/ATen.h>

#include <sstream>

#include "catch.h"
#include "data/segment_stream.h"
#include "data/tiny_text.h"
#include "eval/evaluator.h"
#include "eval/plans.h"
#include "eval/stream_evaluation.h"
#include "eval/tiny_model.h"

namespace {

nlohmann::json model_json(const char* type) {
  return {{"type", type}, {"positions", {{"scheme", "alibi"}}}, {"infini", {{"gate_init", 0.5}}}};
}

lc::TokenFile text() { return TinyText::of_documents({100}, kTinyVocabulary).file(); }

lc::Evaluation evaluation(const char* type, lc::Diagnosis diagnosis) {
  const TinyModel tiny(model_json(type), at::kDouble);
  lc::EvaluationSettings settings;
  settings.segment_length = 8;
  settings.lanes = 2;
  settings.diagnosis = diagnosis;
  return lc::evaluate_split(*tiny.model, text(), settings);
}

// What is measured of documents that end in short segments, on so many lanes.
nlohmann::json measured_on(int64_t lanes, const TinyModel& tiny, lc::Boundaries boundaries) {
  lc::EvaluationSettings settings;
  settings.segment_length = 8;
  settings.boundaries = boundaries;
  settings.lanes = lanes;
  settings.diagnosis = lc::Diagnosis::kMeasures;
  const lc::TokenFile documents =
      TinyText::of_documents({61, 8, 130, 17, 45}, kTinyVocabulary).file();
  return lc::evaluate_split(*tiny.model, documents, settings).measured;
}

void check_same_measures(const nlohmann::json& a, const nlohmann::json& b) {
  REQUIRE(a.size() == b.size());
  for (const auto& [name, layers] : a.items()) {
    REQUIRE(b.at(name).size() == layers.size());
    for (size_t i = 0; i < layers.size(); ++i) {
      for (const char* key : {"min", "mean", "max"}) {
        INFO(name << ", layer " << i << ", " << key);
        CHECK(b.at(name)[i].at(key).get<double>() ==
              Approx(layers[i].at(key).get<double>()).epsilon(1e-12));
      }
    }
  }
}

}  // namespace

TEST_CASE("A diagnosis sums up what was measured, by name and layer") {
  lc::DiagnosisProbe probe;
  CHECK(probe.to_json().is_null());
  probe.measure("gate", 1, at::tensor({0.0, 0.05, 0.95, 1.0}), lc::MeasureKind::kShare);
  probe.measure("gate", 1, at::tensor({0.5, 0.55}), lc::MeasureKind::kShare);
  probe.measure("norm", 0, at::tensor({-3.0, 7.0}), lc::MeasureKind::kNumber);
  const nlohmann::json json = probe.to_json();
  const nlohmann::json& gate = json.at("gate")[0];
  CHECK(gate.at("layer") == 1);
  CHECK(gate.at("min") == 0.0);
  CHECK(gate.at("max") == 1.0);
  CHECK(gate.at("mean").get<double>() == Approx(3.05 / 6));
  const std::vector<double> expected{2, 0, 0, 0, 0, 2, 0, 0, 0, 2};
  for (size_t i = 0; i < expected.size(); ++i) {
    CHECK(gate.at("histogram")[i].get<double>() == Approx(expected[i] / 6));
  }
  CHECK(json.at("norm")[0] ==
        nlohmann::json({{"layer", 0}, {"min", -3.0}, {"mean", 2.0}, {"max", 7.0}}));
}

TEST_CASE("A diagnosis shows gates and readings of memory, and changes no loss") {
  const lc::Evaluation plain = evaluation("infini", lc::Diagnosis::kNone);
  const lc::Evaluation measured = evaluation("infini", lc::Diagnosis::kMeasures);
  CHECK(plain.measured.is_null());
  CHECK(plain.scores.nll == measured.scores.nll);
  CHECK(!measured.without_memory.has_value());
  REQUIRE(measured.measured.at("gate").size() == 3);
  for (int64_t layer = 0; layer < 3; ++layer) {
    const auto at = static_cast<size_t>(layer);
    const nlohmann::json& gate = measured.measured.at("gate")[at];
    CHECK(gate.at("layer") == layer);
    CHECK(gate.at("mean").get<double>() == Approx(0.6224593312));  // sigmoid(0.5)
    CHECK(gate.at("histogram")[6] == 1.0);
    CHECK(measured.measured.at("memory_over_local")[at].at("min").get<double>() > 0.0);
    CHECK(measured.measured.at("memory_normalizer")[at].at("min").get<double>() > 0.0);
  }
}

TEST_CASE("Knocked-out memory gives the losses of segments that stand alone") {
  const lc::Evaluation knocked = evaluation("infini", lc::Diagnosis::kKnockOut);
  const TinyModel tiny(model_json("vanilla"), at::kDouble);
  lc::EvaluationSettings settings;
  settings.segment_length = 8;
  settings.stride = 8;
  const lc::Evaluation alone = lc::evaluate_split(*tiny.model, text(), settings);
  REQUIRE(knocked.without_memory.has_value());
  CHECK(*knocked.without_memory->nats_per_token == Approx(*alone.measures.nats_per_token));
  CHECK(*knocked.without_memory->nats_per_token !=
        Approx(*knocked.measures.nats_per_token).epsilon(1e-4));
  CHECK(!evaluation("vanilla", lc::Diagnosis::kKnockOut).without_memory.has_value());
}

TEST_CASE("A diagnosis of a Compressive Transformer is its compression loss by layer") {
  nlohmann::json json = model_json("compressive");
  json["compressive"] = {{"memory_length", 8},
                         {"compressed_length", 4},
                         {"rate", 4},
                         {"compressed_positions", "contiguous"}};
  const TinyModel tiny(json, at::kDouble);
  lc::EvaluationSettings settings;
  settings.segment_length = 8;
  settings.lanes = 1;
  settings.diagnosis = lc::Diagnosis::kMeasures;
  const lc::Evaluation measured = lc::evaluate_split(*tiny.model, text(), settings);
  const nlohmann::json& losses = measured.measured.at("attention_reconstruction_mse");
  REQUIRE(losses.size() == 3);

  // The same segments as training reads them, without dropout: its auxiliary losses.
  lc::PlanSettings one_lane;
  one_lane.segment_length = 8;
  one_lane.lanes = 1;
  const lc::EvaluationPlan plan = lc::memory_plan(lc::text_shape(text()), one_lane, {});
  const lc::SegmentStream stream(text(), plan.lanes, 0, lc::LossPart::kAll);
  lc::MemoryState memory = tiny.model->initial_memory(1, lc::MemoryUse::kTraining);
  std::vector<double> sums(3, 0);
  int64_t segments = 0;
  for (int64_t index = 0; index < stream.segments(); ++index) {
    auto step = tiny.model->step(stream.at(index), std::move(memory), {.training = true});
    memory = std::move(step.memory);
    for (const lc::AuxiliaryLoss& loss : step.auxiliary) {
      sums[static_cast<size_t>(loss.layer)] += loss.sum.item<double>();
      if (loss.layer == 0) segments += loss.count;
    }
  }
  REQUIRE(segments > 5);
  for (size_t layer = 0; layer < 3; ++layer) {
    CHECK(losses[layer].at("mean").get<double>() ==
          Approx(sums[layer] / static_cast<double>(segments)).epsilon(1e-9));
  }
}

TEST_CASE("What Infini-attention measures depends on no lane, nor on the padding beside it") {
  const TinyModel tiny(model_json("infini"), at::kDouble);
  const nlohmann::json one = measured_on(1, tiny, lc::Boundaries::kReset);
  REQUIRE(one.contains("memory_over_local"));
  for (const int64_t lanes : {2, 3, 4, 16}) {
    INFO(lanes);
    check_same_measures(one, measured_on(lanes, tiny, lc::Boundaries::kReset));
  }
}

TEST_CASE("What a Compressive Transformer measures depends on no lane, nor on its lead-in") {
  for (const int64_t rate : {2, 4}) {
    nlohmann::json json = model_json("compressive");
    json["compressive"] = {{"memory_length", 8},
                           {"compressed_length", 4},
                           {"rate", rate},
                           {"compressed_positions", "contiguous"}};
    const TinyModel tiny(json, at::kDouble);
    for (const lc::Boundaries boundaries : {lc::Boundaries::kStream, lc::Boundaries::kReset}) {
      const nlohmann::json one = measured_on(1, tiny, boundaries);
      REQUIRE(one.contains("attention_reconstruction_mse"));
      for (const int64_t lanes : {2, 3, 4, 16}) {
        INFO("rate " << rate << ", lanes " << lanes);
        check_same_measures(one, measured_on(lanes, tiny, boundaries));
      }
    }
  }
}

// The check that finds parameters which two kinds of losses reach.
#include "train/isolation_check.h"

#include <ATen/ATen.h>

#include <string>

#include "catch.h"
#include "core/error.h"
#include "data/lane_plan.h"
#include "data/training_plan.h"
#include "golden/golden_text.h"
#include "nn/transformer_settings.h"
#include "train/small_model.h"

namespace {

// A body whose only parameter scales the hidden states and is an auxiliary loss too.
class Mixing : public lc::Trunk {
 public:
  explicit Mixing(at::Tensor scale) : scale_(std::move(scale)) {}
  lc::TrunkResult forward(const at::Tensor& embedded_BTD, lc::MemoryState memory,
                          const lc::StepContext&) const override {
    return {embedded_BTD * scale_, std::move(memory), {{"leak", 0, scale_.sum(), 1}}};
  }
  lc::MemoryState initial_memory(int64_t lanes, lc::MemoryUse use, int64_t version) const override {
    return {lanes, use, {}, {}, version};
  }
  std::optional<int64_t> reach(int64_t) const override { return 0; }
  lc::Footprint footprint(int64_t, lc::MemoryUse) const override { return {}; }
  std::vector<lc::AuxiliaryShare> auxiliary_shares(
      const lc::MemoryState&, const std::vector<const lc::Segment*>&) const override {
    return {};
  }

 private:
  at::Tensor scale_;
};

std::unique_ptr<lc::LanguageModel> mixing_model() {
  lc::OptionTable table;
  table.add(lc::model_options());
  const auto config = lc::Config::read(table, R"({"model": {"d_model": 8}})", "test", {});
  const auto settings = lc::read_transformer_settings(config, small::kVocabulary);
  lc::ParameterSet parameters({at::kFloat, at::kCPU, 3});
  const auto bins = lc::token_bins(settings, small::kVocabulary);
  lc::TokenTables tables(parameters, settings, bins);
  lc::OutputHead head(parameters, settings, bins, tables);
  lc::Embedding embedding(bins, std::move(tables), settings.d_model);
  auto trunk = std::make_unique<Mixing>(parameters.add("scale", {8}, lc::Initial::constant(1)));
  return std::make_unique<lc::LanguageModel>(std::move(parameters), std::move(embedding),
                                             std::move(trunk), std::move(head));
}

lc::SegmentStream stream() {
  const lc::TokenFile text = golden::text_of(small::tokens(1, 97)[0], small::kVocabulary);
  return {text, golden::reference_plan(97, 2, 8), 0, lc::LossPart::kAll};
}

}  // namespace

TEST_CASE("losses that keep apart pass the isolation check", "[train]") {
  const auto compressive = small::model_of(
      at::kDouble, R"({"type": "compressive", "layers": 2, "d_model": 12, "heads": 2,
      "init_std": 0.3, "compressive": {"memory_length": 8, "compressed_length": 4, "rate": 2}})");
  const lc::IsolationReport report = lc::check_isolation(*compressive, stream(), 1);
  CHECK(report.by_auxiliary == 2);  // a convolution in each of two layers
  CHECK_FALSE(report.unmet);
  CHECK(report.segments == 3);  // one beyond the first that gives up rows
  CHECK(report.by_text ==
        static_cast<int64_t>(compressive->parameters().all().size()) - report.by_auxiliary);
  CHECK(small::take_gradients(*compressive).abs().max().item<double>() == 0.0);
  const auto without = lc::check_isolation(*small::model(at::kDouble, ""), stream(), 1);
  CHECK(without.by_auxiliary == 0);
  CHECK_FALSE(without.unmet);
}

TEST_CASE("a check that met no auxiliary loss says so", "[train]") {
  // 48 inputs in each of two lanes: memory takes all of them, and nothing is compressed.
  const auto model = small::model_of(
      at::kDouble, R"({"type": "compressive", "layers": 2, "d_model": 12, "heads": 2,
      "compressive": {"memory_length": 48, "compressed_length": 4, "rate": 2}})");
  const lc::IsolationReport report = lc::check_isolation(*model, stream(), 1);
  CHECK(report.unmet);
  CHECK(report.segments == stream().segments());
  CHECK(report.by_auxiliary == 0);
  CHECK(report.by_text > 0);
}

TEST_CASE("a parameter that two kinds of losses reach is named", "[train]") {
  try {
    lc::check_isolation(*mixing_model(), stream(), 1);
    FAIL("nothing was thrown");
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kRuntime);
    CHECK(std::string(error.what()).find("both reach scale") != std::string::npos);
  }
}

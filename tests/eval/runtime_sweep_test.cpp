// A grid over runtime values against each of its cells measured alone.
#include "eval/runtime_sweep.h"

#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "core/error.h"
#include "data/tiny_text.h"
#include "eval/tiny_model.h"

namespace {

using namespace lc;

EvaluationSettings settings_of(int64_t segment) {
  EvaluationSettings settings;
  settings.segment_length = segment;
  return settings;
}

std::string fault_of(const std::vector<std::string>& texts) {
  try {
    parse_sweep(texts);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

nlohmann::json swept_compressive(const char* function, const nlohmann::json& block) {
  nlohmann::json model = tiny_compressive("separate");
  model["compressive"]["compression"] = function;
  model["compressive"].update(block);
  return model;
}

TEST_CASE("Sweeps as users type them") {
  const auto axes = parse_sweep({"memory=512,768", "span=fixed"});
  REQUIRE(axes.size() == 2);
  CHECK(axes[0].flag == "memory");
  CHECK(axes[0].values == std::vector<nlohmann::json>{512, 768});
  CHECK(axes[1].values == std::vector<nlohmann::json>{"fixed"});
  CHECK(parse_sweep({}).empty());
  CHECK(fault_of({"memory"}).find("FLAG=VALUE") != std::string::npos);
  CHECK_FALSE(fault_of({"=3"}).empty());
  CHECK_FALSE(fault_of({"memory="}).empty());
  CHECK(fault_of({"memory=3,4,3"}).find("twice") != std::string::npos);
  CHECK(fault_of({"memory=3", "memory=4"}).find("one list") != std::string::npos);
}

TEST_CASE("Each cell is the evaluation of a model with its values, on the same targets") {
  const lc::TokenFile text = TinyText::of_documents({83, 2, 61, 40}, kTinyVocabulary).file();
  const TinyModel trained(tiny_xl(6, "segment"), at::kDouble);
  const auto axes = parse_sweep({"memory=0,3,12", "span=segment,fixed"});
  const RuntimeSweep sweep = runtime_sweep(trained.source(), text, axes, settings_of(5));
  REQUIRE(sweep.cells.size() == 6);
  size_t at = 0;
  for (const int64_t memory : {0, 3, 12}) {
    for (const char* span : {"segment", "fixed"}) {
      const SweepCell& cell = sweep.cells[at++];
      CHECK(cell.values.at("memory") == memory);
      CHECK(cell.values.at("span") == span);
      CHECK(cell.evaluation.protocol.at("memory") == memory);
      const TinyModel alone(tiny_xl(memory, span), at::kDouble);
      copy_weights(*trained.model, *alone.model);
      EvaluationSettings in_segments = settings_of(5);
      if (memory == 0) in_segments.stride = 5;  // no window slides where the others have segments
      const Evaluation expected = evaluate_split(*alone.model, text, in_segments);
      CHECK(*cell.evaluation.measures.nats_per_token ==
            Approx(*expected.measures.nats_per_token).epsilon(1e-12));
      CHECK(cell.evaluation.measures.tokens_scored == 185);
      CHECK(sweep.cells_json()[at - 1].at("mode") == (memory == 0 ? "segments" : "memory"));
    }
  }
}

TEST_CASE("Cells of the references' lanes have them with and without memory") {
  const lc::TokenFile text = TinyText::of_documents({83, 61}, kTinyVocabulary).file();
  const TinyModel trained(tiny_xl(6, "segment"), at::kDouble);
  EvaluationSettings settings = settings_of(5);
  settings.lane_split = LaneSplit::kReference;
  settings.lanes = 3;
  const RuntimeSweep sweep =
      runtime_sweep(trained.source(), text, parse_sweep({"memory=6,0"}), settings);
  REQUIRE(sweep.cells.size() == 2);
  for (const SweepCell& cell : sweep.cells) {
    const TinyModel alone(tiny_xl(cell.values.at("memory"), "segment"), at::kDouble);
    copy_weights(*trained.model, *alone.model);
    const Evaluation expected = evaluate_split(*alone.model, text, settings);
    CHECK(*cell.evaluation.measures.nats_per_token ==
          Approx(*expected.measures.nats_per_token).epsilon(1e-12));
    CHECK(cell.evaluation.measures.tokens_scored == expected.measures.tokens_scored);
  }
}

TEST_CASE("A grid of memory and compressed lengths, each cell a model built with its lengths") {
  const lc::TokenFile text = TinyText::of_documents({83, 2, 61, 40}, kTinyVocabulary).file();
  const nlohmann::json given = swept_compressive("conv", {{"memory_length", 8}});
  const TinyModel trained(given, at::kDouble);
  const auto axes = parse_sweep({"memory=0,4,8", "compressed=0,3,5"});
  const RuntimeSweep sweep = runtime_sweep(trained.source(), text, axes, settings_of(4));
  REQUIRE(sweep.cells.size() == 9);
  std::vector<double> losses;
  for (const int64_t memory : {0, 4, 8}) {
    for (const int64_t compressed : {0, 3, 5}) {
      INFO("memory " << memory << ", compressed " << compressed);
      const SweepCell& cell = sweep.cells[losses.size()];
      CHECK(cell.values.at("memory") == memory);
      CHECK(cell.values.at("compressed") == compressed);
      CHECK(cell.evaluation.protocol.at("memory") == memory);
      CHECK(cell.evaluation.protocol.at("compressed") == compressed);
      CHECK(cell.evaluation.measures.tokens_scored == 185);
      const TinyModel alone(
          swept_compressive("conv", {{"memory_length", memory}, {"compressed_length", compressed}}),
          at::kDouble);
      copy_weights(*trained.model, *alone.model);
      EvaluationSettings settings = settings_of(4);
      if (memory + compressed == 0) settings.stride = 4;
      const Evaluation expected = evaluate_split(*alone.model, text, settings);
      losses.push_back(*cell.evaluation.measures.nats_per_token);
      CHECK(losses.back() == Approx(*expected.measures.nats_per_token).epsilon(1e-12));
      CHECK(cell.evaluation.protocol.at("mode") ==
            (memory + compressed == 0 ? "segments" : "memory"));
    }
  }
  std::sort(losses.begin(), losses.end());
  CHECK(std::adjacent_find(losses.begin(), losses.end()) == losses.end());  // each value matters
}

TEST_CASE("A length that the segment can't be read with is refused before anything is scored") {
  // The text has another vocabulary than the model, which the first cell to be scored would find.
  const lc::TokenFile text = TinyText::of_documents({83}, kTinyVocabulary + 1).file();
  const TinyModel dilated(swept_compressive("dilated_conv", {{"memory_length", 8}, {"rate", 2}}),
                          at::kDouble);
  const auto fault = [&](const std::string& axis) -> std::string {
    try {
      runtime_sweep(dilated.source(), text, parse_sweep({axis}), settings_of(8));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(fault("memory=8,16").find("vocabulary") != std::string::npos);
  CHECK(fault("memory=8,12").find("12 is no multiple of the segment length 8") !=
        std::string::npos);
}

TEST_CASE("A flag or value that the model doesn't take is refused before any work") {
  const lc::TokenFile text = TinyText::of_documents({30}, kTinyVocabulary).file();
  const TinyModel xl(tiny_xl(6, "segment"), at::kDouble);
  for (const char* bad : {"compressed=3", "memory=-1", "memory=3,x", "span=wide"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(runtime_sweep(xl.source(), text, parse_sweep({bad}), settings_of(5)), Error);
  }
  CHECK_THROWS_WITH(
      runtime_sweep(xl.source(), text, parse_sweep({"memory=3,-1", "span=fixed"}), settings_of(5)),
      "--sweep memory=-1: -1 is out of range; give an integer of at least 0 and at most "
      "2147483648");
}

}  // namespace

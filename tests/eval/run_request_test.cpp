// What a user's request turns into.
#include "eval/run_request.h"

#include <limits>
#include <string>

#include "catch.h"
#include "core/error.h"
#include "data/prepare.h"
#include "data/tiny_text.h"
#include "eval/tiny_model.h"
#include "models/registry.h"

namespace {

using namespace lc;

TEST_CASE("Context lists") {
  CHECK(parse_contexts("0,64,128") == std::vector<int64_t>{0, 64, 128});
  CHECK(parse_contexts("7") == std::vector<int64_t>{7});
  for (const char* bad :
       {"", "1,", ",1", "-1", "1.5", "64 ", "a", "1,,2", "99999999999999999999"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_contexts(bad), Error);
  }
}

TEST_CASE("A context that the text cannot hold is refused before any work") {
  const TinyText text = TinyText::of_documents({100}, 256);
  EvaluationRequest request;
  request.contexts = {0, 98};
  CHECK_NOTHROW(check_contexts(request, text.file()));
  for (const int64_t longest : {int64_t{99}, std::numeric_limits<int64_t>::max()}) {
    request.contexts = {0, longest};
    CHECK_THROWS_AS(check_contexts(request, text.file()), Error);
  }
}

// A model with a config that holds what evaluations ask for.
struct Trained {
  OptionTable table;
  Config config;
  TinyModel tiny{tiny_xl(4, "segment"), at::kFloat};

  Trained() {
    table.add(model_options());
    table.add(data_options());
    table.add(eval_options());
    table.add({Option::integer("train.segment_length", 16), Option::integer("train.lanes", 2)});
    nlohmann::json values{{"model", tiny.config.values().at("model")},
                          {"eval", {{"segment_length", 3}, {"tokens", 5}, {"lanes", 6}}}};
    config = Config::read(table, values.dump(), "test", {});
  }
  ModelSource source() const { return {table, config, *tiny.model}; }
};

TEST_CASE("The longest context that is allowed leaves one target") {
  const Trained trained;
  const TinyText text = TinyText::of_documents({40}, kTinyVocabulary);
  EvaluationRequest request;
  request.contexts = {38};
  request.segment = 8;
  const RunResult result = evaluate_run(trained.source(), text.file(), request);
  CHECK(result.sweep->points[0].evaluation.measures.tokens_scored == 1);
  CHECK(result.evaluation.measures.tokens_scored == 39);
}

TEST_CASE("A segment beyond what can be counted is refused") {
  const Trained trained;
  const TinyText text = TinyText::of_documents({40}, kTinyVocabulary);
  EvaluationRequest request;
  request.segment = kLongestLength;
  CHECK_NOTHROW(evaluate_run(trained.source(), text.file(), request));
  request.segment = kLongestLength + 1;
  try {
    evaluate_run(trained.source(), text.file(), request);
    FAIL("evaluated");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    CHECK(std::string(error.what()) ==
          "--segment: 2147483649 is too long; give at most 2147483648 tokens");
  }
}

TEST_CASE("Without a request all is as in training, not as in its periodic evaluation") {
  const Trained trained;
  const EvaluationSettings plain = requested_settings(trained.config, {});
  CHECK(plain.segment_length == 16);
  CHECK_FALSE(plain.tokens);
  CHECK_FALSE(plain.lanes);
}

TEST_CASE("Requests change what they name") {
  const Trained trained;
  EvaluationRequest request;
  request.segment = 5;
  request.tokens = 17;
  request.lanes = 3;
  const TinyText text = TinyText::of_documents({60}, kTinyVocabulary);
  const RunResult result = evaluate_run(trained.source(), text.file(), request);
  CHECK(result.evaluation.measures.tokens_scored == 17);
  CHECK(result.evaluation.protocol["segment"] == 5);
  CHECK_FALSE(result.sweep);
}

TEST_CASE("The reference's lane split needs lanes: those of the training") {
  const Trained trained;
  const Config config = with_settings(trained.table, trained.config, {"data.lane_split=reference"});
  CHECK(*requested_settings(config, {}).lanes == 2);
}

TEST_CASE("A request asks for the run as it was trained unless it changes what is scored") {
  const Trained trained;
  const auto with = [&](auto EvaluationRequest::*key, int64_t value, const Config& config) {
    EvaluationRequest request;
    request.*key = value;
    return asks_as_trained(config, request);
  };
  CHECK(asks_as_trained(trained.config, {}));
  CHECK(with(&EvaluationRequest::segment, 16, trained.config));
  CHECK_FALSE(with(&EvaluationRequest::segment, 15, trained.config));
  CHECK_FALSE(with(&EvaluationRequest::stride, 8, trained.config));
  CHECK_FALSE(with(&EvaluationRequest::tokens, 1000, trained.config));
  CHECK(with(&EvaluationRequest::lanes, 3, trained.config));
  const Config lossy = with_settings(trained.table, trained.config, {"data.lane_split=reference"});
  CHECK(with(&EvaluationRequest::lanes, 2, lossy));
  CHECK_FALSE(with(&EvaluationRequest::lanes, 3, lossy));
}

TEST_CASE("Settings take what an evaluation depends on and refuse the rest") {
  const Trained trained;
  const Config config =
      with_settings(trained.table, trained.config,
                    {"data.boundaries=reset", "model.transformer_xl.memory_length=7"});
  CHECK(config.get<std::string>("data.boundaries") == "reset");
  CHECK(config.get<int64_t>("model.transformer_xl.memory_length") == 7);
  for (const char* bad : {"model.layers=2", "model.layrs=2", "train.lanes=4", "data.path=x",
                          "data.boundaries", "=1", "data.boundaries=sideways"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(with_settings(trained.table, trained.config, {bad}), Error);
  }
}

}  // namespace

// Cases of the checkpoints family: files of other codes through the importer. Trained ones go from
// raw text to the sum of losses, the others over tokens that the case gives.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <memory>
#include <stdexcept>

#include "catch.h"
#include "checkpoint/foreign/foreign_checkpoint.h"
#include "core/file_io.h"
#include "data/prepare.h"
#include "data/tokenizers/vocabulary_file.h"
#include "eval/evaluation_model.h"
#include "eval/stream_evaluation.h"
#include "golden/agreement.h"
#include "golden/checkpoint_texts.h"
#include "golden/golden_case.h"
#include "golden/golden_model.h"
#include "models/registry.h"

namespace golden {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const lc::OptionTable& checkpoint_options() {
  static const lc::OptionTable table = [] {
    lc::OptionTable rows;
    rows.add(lc::data_options());
    rows.add(lc::model_options());
    return rows;
  }();
  return table;
}

struct Imported {
  lc::Config config;
  std::unique_ptr<lc::LanguageModel> model;
};

// The files of a foreign checkpoint as a model. data: section "data".
Imported import_model(const std::string& format, const fs::path& config_file,
                      const fs::path& weights_file, const Json& data, at::ScalarType dtype) {
  const lc::ForeignSettings settings = lc::read_foreign_config(format, config_file);
  const Json sections{{"model", settings.sections.at("model")}, {"data", data}};
  lc::Config config =
      lc::Config::read(checkpoint_options(), sections.dump(), config_file.string(), {});
  auto model = lc::build_model(config, {settings.vocab_size, {dtype, at::kCPU, 1}});
  model->parameters().load(
      lc::read_foreign_weights(format, config, settings.vocab_size, weights_file),
      weights_file.string());
  return {std::move(config), std::move(model)};
}

bool is_trained(const Case& golden) { return golden.json.contains("evaluations"); }

void run_huggingface(const Case& golden, at::ScalarType dtype) {
  const c10::NoGradGuard no_gradient;
  const auto imported = import_model("huggingface", golden.folder / "config.json",
                                     golden.folder / "model.safetensors", Json::object(), dtype);
  const lc::LanguageModel& model = *imported.model;
  CHECK(model.parameters().count() == golden.json.at("parameters").get<int64_t>());
  const auto length = golden.json.at("segment_length").get<int64_t>();
  const auto lanes = golden.json.at("batch").get<int64_t>();
  const at::Tensor& tokens = golden.tensor("tokens");
  const at::Tensor& expected = golden.tensor("expected.nll");  // [B, S, T]
  lc::MemoryState memory = model.initial_memory(lanes, lc::MemoryUse::kInference);
  for (int64_t s = 0; s < golden.json.at("n_segments").get<int64_t>(); ++s) {
    auto result = model.step(segment(tokens.narrow(1, s * length, length),
                                     tokens.narrow(1, s * length + 1, length), Begin::kGoesOn),
                             std::move(memory), {});
    memory = std::move(result.memory);
    check(result.nll_BT, expected.select(1, s), limit(dtype, 1e-9, 5e-5),
          "segment " + std::to_string(s));
  }
}

// The run-time values of one of the case's evaluations, as flags of an evaluation have them.
lc::RuntimeValues runtime_values(const Json& evaluation) {
  const auto memory = evaluation.at("memory_length").get<int64_t>();
  const auto clamp = evaluation.at("clamp_length").get<int64_t>();
  const bool same_length = evaluation.at("same_length").get<bool>();
  return {{"memory", memory},
          {"span", same_length ? "reference" : "segment"},
          {"clamp", clamp > 0 ? Json(clamp) : Json()}};
}

void check_evaluation(const lc::Evaluation& actual, const Json& expected, at::ScalarType dtype) {
  const auto tokens = expected.at("tokens").get<int64_t>();
  REQUIRE(actual.measures.tokens_scored == tokens);
  const std::vector<double>& nll = actual.scores.nll;
  double sum = 0;
  for (const double one : nll) sum += one;
  const auto wanted = expected.at("nll_sum").get<double>();
  INFO("sum " << sum << " instead of " << wanted << ", off by " << sum / wanted - 1);
  CHECK(near(sum, wanted, wanted * limit(dtype, 1e-8, 1e-6)));
  CHECK(near(actual.measures.nats_per_token.value(), expected.at("nll_mean").get<double>(),
             wanted / static_cast<double>(tokens) * limit(dtype, 1e-8, 1e-6)));
  const auto first = expected.at("first_segment_nll").get<std::vector<double>>();
  REQUIRE(nll.size() >= first.size());
  const std::vector<double> begun(nll.begin(), nll.begin() + static_cast<int64_t>(first.size()));
  check(at::tensor(begun, at::kDouble), at::tensor(first, at::kDouble), limit(dtype, 1e-9, 5e-5),
        "first segment");
}

// The vocabulary as a list gives the tokenizer that the text gave, and that all three parts
// together give where they are counted.
void check_vocabulary_of(const Case& golden, const CheckpointTexts& texts,
                         const lc::Tokenizer& tokenizer) {
  const fs::path list = texts.folder() / "symbols.json";
  lc::write_file_atomically(list, golden.json.at("vocabulary").dump());
  CHECK(lc::tokenizer_of_vocabulary(list, lc::UnknownWords::kRefused)->content() ==
        tokenizer.content());
  if (tokenizer.type() != "word") return;  // bytes are counted over all parts anyway
  Json counted = texts.data();
  counted["tokenizer"].erase("vocab_file");
  counted["train"] = {counted["train"], counted["valid"], counted["test"]};
  const lc::Config config =
      lc::Config::read(checkpoint_options(), Json{{"data", counted}}.dump(), "golden case", {});
  CHECK(lc::prepare_tokenizer(config)->content() == tokenizer.content());
}

void run_trained(const Case& golden, at::ScalarType dtype) {
  const auto vocabulary = golden.json.at("vocabulary").get<std::vector<std::string>>();
  const CheckpointTexts texts(golden.json.at("kind").get<std::string>(), vocabulary);
  if (!texts.found()) return;
  const fs::path config_file = texts.folder() / "hyperparameters.json";
  lc::write_file_atomically(config_file, golden.json.at("hyperparameters").dump());
  const auto [config, model] =
      import_model("kimiyoung", config_file, golden.folder / "model.safetensors", texts.data(), dtype);
  const lc::PreparedData prepared = lc::prepare_data(config);
  check_vocabulary_of(golden, texts, *prepared.tokenizer);

  for (const Json& expected : golden.json.at("evaluations")) {
    INFO(expected.dump().substr(0, 200));
    const lc::Config changed =
        lc::with_runtime_values(checkpoint_options(), config, runtime_values(expected));
    const auto evaluated = lc::rebuild(*model, changed);
    lc::EvaluationSettings settings;
    settings.segment_length = expected.at("segment_length").get<int64_t>();
    // Without memory every segment stands alone.
    if (!evaluated->has_memory()) settings.stride = settings.segment_length;
    const auto split = expected.at("split").get<std::string>();
    check_evaluation(lc::evaluate_split(*evaluated, prepared.splits.at(split), settings), expected,
                     dtype);
  }
}

}  // namespace

void run_checkpoint_tokens(const Case& golden, at::ScalarType dtype) {
  if (is_trained(golden)) return;
  const auto kind = golden.json.at("kind").get<std::string>();
  if (kind != "huggingface") throw std::runtime_error("no test is registered for kind " + kind);
  run_huggingface(golden, dtype);
}

void run_checkpoint_texts(const Case& golden, at::ScalarType dtype) {
  if (is_trained(golden)) run_trained(golden, dtype);
}

}  // namespace golden

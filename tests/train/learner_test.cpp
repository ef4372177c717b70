#include "train/learner.h"

#include <ATen/ATen.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "catch.h"
#include "checkpoint/checkpoint.h"
#include "contract/fake_device.h"
#include "core/error.h"
#include "core/rng.h"
#include "core/temporary_folder.h"
#include "data/prepare.h"
#include "data/token_file_writer.h"
#include "eval/stream_evaluation.h"
#include "models/registry.h"
#include "train/gradient.h"

namespace {

constexpr int64_t kVocabulary = 9;
constexpr int64_t kPoison = 8;  // its embedding is not a number

// 33 tokens: two lanes of four segments of four. The poison stands at one place, or nowhere.
lc::TokenFile text(int64_t poisoned_token) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("lc_learner_test_" + std::to_string(getpid()) + ".lctok");
  std::vector<int64_t> ids;
  for (uint64_t i = 0; i < 33; ++i) ids.push_back(static_cast<int64_t>(lc::hash_bits(i) % kPoison));
  if (poisoned_token >= 0) ids[static_cast<size_t>(poisoned_token)] = kPoison;
  lc::TokenFileWriter writer(path, kVocabulary);
  writer.add(ids);
  writer.end_document({});
  writer.finish({}, "0123456789abcdef", {});
  lc::TokenFile tokens = lc::TokenFile::open(path);
  std::filesystem::remove(path);  // stays mapped
  return tokens;
}

lc::Config config(const std::vector<std::string>& overrides = {}) {
  lc::OptionTable table;
  for (auto rows :
       {lc::run_options(), lc::data_options(), lc::model_options(),
        lc::optim_options(lc::parameter_groups()), lc::train_options(), lc::eval_options()}) {
    table.add(std::move(rows));
  }
  return lc::Config::read(table, R"({
      "model": {"layers": 2, "d_model": 8, "heads": 2, "d_inner": 8, "tie_weights": false,
                "dropout": 0.2, "transformer_xl": {"memory_length": 6}},
      "optim": {"lr": 0.01, "clip_norm": 0.5},
      "train": {"lanes": 2, "segment_length": 4, "steps": 100}})",
                          "test", overrides);
}

std::unique_ptr<lc::LanguageModel> poisoned_model() {
  auto model = lc::build_model(config(), {kVocabulary, {at::kDouble, at::kCPU, 7}});
  for (const lc::Parameter& parameter : model->parameters().all()) {
    if (parameter.name.starts_with("embedding")) {
      parameter.value.detach()[kPoison].fill_(std::nan(""));
    }
  }
  return model;
}

bool same(const lc::NamedTensors& a, const lc::NamedTensors& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].first != b[i].first) return false;
    const at::Tensor left = a[i].second.detach();
    const at::Tensor right = b[i].second.detach();
    if (left.is_floating_point() ? !at::allclose(left, right, 0, 0, /*equal_nan=*/true)
                                 : !at::equal(left, right)) {
      return false;
    }
  }
  return true;
}

void check_close(const lc::NamedTensors& a, const lc::NamedTensors& b) {
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    INFO(a[i].first);
    REQUIRE(a[i].first == b[i].first);
    REQUIRE(a[i].second.sizes() == b[i].second.sizes());
    CHECK(at::allclose(a[i].second.to(at::kDouble), b[i].second.to(at::kDouble), 0, 1e-5));
  }
}

constexpr double kClipNorm = 0.1;

// What a run on a device ends in.
struct DeviceRun {
  std::vector<double> grad_norms;  // of each update
  lc::Checkpoint end;
  std::vector<double> nll;  // of an evaluation
};

// Two updates, a checkpoint on the disk, and by a second learner that reads it one more and an
// evaluation.
DeviceRun run_on(at::Device device) {
  const lc::Config small =
      config({"model.init_std=0.3", "optim.clip_norm=" + std::to_string(kClipNorm),
              "train.accumulation=2"});
  const auto settings = lc::train_settings(small);
  const auto model_of = [&](uint64_t seed) {
    return lc::build_model(small, {kVocabulary, {at::kFloat, device, seed}});
  };
  const lc::TokenFile tokens = text(-1);
  const lc::TemporaryFolder temporary;
  lc::RunFolder folder(temporary.path());
  DeviceRun run;
  const auto update = [&](lc::Learner& learner, lc::TrainingState& state) {
    const lc::UpdateReport report = learner.update(state);
    CHECK(report.applied);
    run.grad_norms.push_back(report.grad_norm);
  };

  const auto model = model_of(7);
  lc::Learner learner(small, settings, *model, {tokens});
  lc::TrainingState state;
  update(learner, state);
  update(learner, state);
  lc::save_checkpoint(folder, state.step, learner.save(state));

  const auto resumed = model_of(8);
  lc::Learner second(small, settings, *resumed, {tokens});
  lc::TrainingState later = second.load(lc::load_checkpoint(*folder.last()), "the checkpoint");
  update(second, later);
  lc::save_checkpoint(folder, later.step, second.save(later));
  run.end = lc::load_checkpoint(*folder.last());
  run.nll = lc::evaluate_split(*resumed, tokens, lc::evaluation_settings(small)).scores.nll;
  return run;
}

}  // namespace

TEST_CASE("an update that isn't finite is skipped with its memory", "[train]") {
  const lc::TokenFile tokens = text(5);  // segment 1 of lane 0
  const auto settings = lc::train_settings(config());
  const auto model = poisoned_model();
  lc::Learner learner(config(), settings, *model, {tokens});
  lc::TrainingState state;
  CHECK(learner.update(state).applied);
  const auto before = learner.save(state);
  const auto weights_before = model->parameters().named()[3].second.clone();
  CHECK_FALSE(learner.update(state).applied);
  CHECK(at::equal(model->parameters().named()[3].second, weights_before));
  CHECK(same(learner.save(state).optimizer, before.optimizer));
  CHECK(same(learner.save(state).memory, before.memory));
  CHECK(learner.update(state).applied);
  CHECK(state.step == 2);
  CHECK(state.nonfinite == 1);
  CHECK(state.segment == 3);
  CHECK(state.window.weight == 16);

  // By hand: segment 2 follows segment 0.
  const auto other = poisoned_model();
  lc::Optimizer optimizer(config(), lc::optimized_parameters(other->parameters()));
  const lc::SegmentStream epoch(tokens,
                                lc::training_plan(tokens, lc::training_plan_settings(config()), 0),
                                0, lc::LossPart::kAll);
  lc::MemoryState memory = other->initial_memory(2, lc::MemoryUse::kTraining).detach();
  for (const int64_t index : {0, 2}) {
    auto result = lc::add_gradients(*other, lc::fetch_update(epoch, index, {}), std::move(memory),
                                    {.seed = 1, .chunks = 1});
    memory = std::move(result.memory);
    optimizer.step(0.01);
  }
  CHECK(same(learner.save(state).model, other->parameters().named()));
  CHECK(same(learner.save(state).memory, memory.save()));
}

TEST_CASE("lanes that began anew in a skipped update begin anew after it", "[train]") {
  const auto model = poisoned_model();
  lc::Learner learner(config(), lc::train_settings(config()), *model, {text(1)});
  lc::TrainingState state;
  for (int i = 0; i < 4; ++i) CHECK(learner.update(state).applied == (i > 0));
  CHECK(state.epoch == 1);
  CHECK_FALSE(learner.update(state).applied);  // the first of the next epoch
  CHECK(same(learner.save(state).memory,
             model->initial_memory(2, lc::MemoryUse::kTraining).detach().save()));
}

TEST_CASE("a state loaded on another text, or of other numbers, is refused", "[train]") {
  const auto settings = lc::train_settings(config());
  const auto model = poisoned_model();
  lc::Learner learner(config(), settings, *model, {text(-1)});
  lc::TrainingState state;
  learner.update(state);
  const auto checkpoint = learner.save(state);
  CHECK(learner.load(checkpoint, "here").to_json() == state.to_json());

  const auto other = poisoned_model();
  lc::Learner elsewhere(config(), settings, *other, {text(20)});
  try {
    elsewhere.load(checkpoint, "runs/x/step_000001");
    FAIL("nothing was thrown");
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kData);
    CHECK(std::string(error.what()).find("runs/x/step_000001") != std::string::npos);
  }

  auto converted = checkpoint;
  converted.model.front().second = converted.model.front().second.to(at::kFloat);
  const std::string name = converted.model.front().first;
  try {
    learner.load(converted, "there");
    FAIL("nothing was thrown");
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kData);
    CHECK(std::string(error.what()).find(name + " is ") != std::string::npos);
    CHECK(std::string(error.what()).find("Float instead of ") != std::string::npos);
  }
}

TEST_CASE("a checkpoint knows every split, and is taken where nothing known has changed",
          "[train]") {
  const auto settings = lc::train_settings(config());
  const auto model = poisoned_model();
  const auto with = [&](lc::TrainingTexts texts) {
    return lc::Learner(config(), settings, *model, std::move(texts));
  };
  lc::Learner learner = with({text(-1), text(3), text(4)});
  auto checkpoint = learner.save({});
  CHECK(checkpoint.state.at("texts").at("train").at("tokens") == 33);
  CHECK(checkpoint.state.at("texts").size() == 3);
  const auto fault = [&](lc::TrainingTexts texts) -> std::string {
    try {
      with(std::move(texts)).load(checkpoint, "here");
    } catch (const lc::Error& error) {
      CHECK(error.kind() == lc::ErrorKind::kData);
      return error.what();
    }
    return "";
  };
  CHECK(fault({text(-1), text(3), text(4)}).empty());
  CHECK(fault({text(-1), text(5), text(4)}).starts_with("here: the valid split isn't the text"));
  CHECK(fault({text(-1), text(3), text(5)}).starts_with("here: the test split isn't the text"));
  CHECK(fault({text(-1), text(3)}) ==
        "here: the test split that the run was started with isn't there; give back the same files "
        "and tokenizer, or start anew with --restart");
  // One that knows the train text alone checks no other.
  checkpoint.state["texts"] = {{"train", checkpoint.state.at("texts").at("train")}};
  CHECK(fault({text(-1), text(5)}).empty());
  CHECK(fault({text(5), text(3)}).starts_with("here: the train split isn't the text"));
}

TEST_CASE("training, a checkpoint and an evaluation are the same on another device", "[train]") {
  const DeviceRun expected = run_on(at::kCPU);
  const DeviceRun actual = run_on(fake::device());
  for (size_t i = 0; i < 3; ++i) {
    CHECK(expected.grad_norms[i] > kClipNorm);  // so that all were clipped
    CHECK(actual.grad_norms[i] == Approx(expected.grad_norms[i]).epsilon(1e-4));
  }
  check_close(actual.end.model, expected.end.model);
  check_close(actual.end.optimizer, expected.end.optimizer);
  check_close(actual.end.memory, expected.end.memory);
  REQUIRE(expected.nll.size() == 32);
  REQUIRE(actual.nll.size() == 32);
  for (size_t i = 0; i < 32; ++i) CHECK(std::abs(actual.nll[i] - expected.nll[i]) < 1e-5);
}

#include "train/learner.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "train/gradient.h"
#include "train/limits.h"

namespace lc {
namespace {

void clear_gradients(const ParameterSet& parameters) {
  for (const Parameter& parameter : parameters.all()) parameter.value.mutable_grad().reset();
}

// Lanes that began anew in any segment of the update.
std::vector<char> starts_B(const Update& update) {
  std::vector<char> starts(update.blocks.front().front().starts_B.size(), 0);
  for (const auto& block : update.blocks) {
    for (const Segment& segment : block) {
      for (size_t b = 0; b < starts.size(); ++b) {
        if (segment.starts_B[b]) starts[b] = 1;
      }
    }
  }
  return starts;
}

bool finite(const GradientResult& result) {
  return std::isfinite(result.nats) &&
         std::all_of(result.auxiliary.begin(), result.auxiliary.end(),
                     [](const AuxiliarySum& one) { return std::isfinite(one.sum); });
}

KnownTexts known_splits(const TrainingTexts& texts) {
  KnownTexts known{{"train", known_text(texts.train)}};
  if (texts.valid) known["valid"] = known_text(*texts.valid);
  if (texts.test) known["test"] = known_text(*texts.test);
  return known;
}

void move_cursor(TrainingState& state, const Update& update, int64_t epoch_segments) {
  state.segments += update.segments();
  state.tokens += update.tokens;
  state.segment += update.segments();
  if (state.segment == epoch_segments) {
    state.segment = 0;
    state.epoch += 1;
  }
}

}  // namespace

std::vector<OptimizedParameter> optimized_parameters(const ParameterSet& parameters) {
  std::vector<OptimizedParameter> result;
  for (const Parameter& parameter : parameters.all()) {
    result.push_back({parameter.name, parameter.group, parameter.value});
  }
  return result;
}

Learner::Learner(const Config& config, const TrainSettings& settings, LanguageModel& model,
                 TrainingTexts texts)
    : settings_(settings),
      model_(model),
      tokenizer_hash_(texts.train.tokenizer_hash()),
      texts_(known_splits(texts)),
      epochs_(std::move(texts.train), training_plan_settings(config), settings.loss),
      planned_steps_(lc::planned_steps(settings, epochs_.size(0))),
      schedule_(schedule_settings(config, planned_steps_)),
      optimizer_(config, optimized_parameters(model.parameters())),
      memory_(model.initial_memory(settings.lanes, MemoryUse::kTraining).detach()) {}

UpdateReport Learner::update(TrainingState& state) {
  const SegmentStream& epoch = epochs_.at(state.epoch);
  const Update update = fetch_update(epoch, state.segment, next_update_size(settings_, state));
  GradientResult result =
      add_gradients(model_, update, memory_.clone(),
                    {settings_.seed, settings_.accumulation, settings_.bptt_mode});
  UpdateReport report{.applied = finite(result),
                      .learning_rate = learning_rate(schedule_, state.step)};
  if (report.applied) {
    const auto step = optimizer_.step(report.learning_rate);
    report.grad_norm = step.grad_norm;
    report.applied = step.applied;
  }
  if (report.applied) {
    model_.after_update();
    memory_ = std::move(result.memory);
    state.step += 1;
    state.window.nats += result.nats;
    state.window.weight += update.weight;
    accumulate(state.window.auxiliary, result.auxiliary);
  } else {
    skip(update);
    state.nonfinite += 1;
  }
  state.window.tokens += update.tokens;
  move_cursor(state, update, epoch.segments());
  return report;
}

void Learner::skip(const Update& update) {
  clear_gradients(model_.parameters());
  memory_ = memory_.replace(starts_B(update),
                            model_.initial_memory(memory_.lanes(), MemoryUse::kTraining).detach());
}

Checkpoint Learner::save(const TrainingState& state) const {
  nlohmann::json json = state.to_json();
  json.update(texts_json(texts_));
  return {.model = model_.parameters().named(),
          .optimizer = optimizer_.save(),
          .memory = memory_.save(),
          .state = std::move(json),
          .tokenizer_hash = tokenizer_hash_};
}

TrainingState Learner::load(const Checkpoint& checkpoint, const std::string& source) {
  TrainingState state = TrainingState::from_json(checkpoint.state, source);
  require_known_texts(texts_in(checkpoint.state, source), texts_, source);
  model_.parameters().load(checkpoint.model, source, LoadedType::kSame);
  model_.after_update();
  optimizer_.load(checkpoint.optimizer);
  memory_ = MemoryState::load(checkpoint.memory,
                              model_.initial_memory(settings_.lanes, MemoryUse::kTraining), source);
  return state;
}

}  // namespace lc

// One update after the other: data, gradients, optimizer, memory, cursor. The trainer puts the
// loop, the log, evaluations and checkpoints around it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "config/config.h"
#include "models/language_model.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "train/epoch_reader.h"
#include "train/isolation_check.h"
#include "train/known_texts.h"
#include "train/train_settings.h"
#include "train/training_state.h"

namespace lc {

// A model's parameters as an optimizer takes them.
std::vector<OptimizedParameter> optimized_parameters(const ParameterSet& parameters);

struct TrainingTexts {
  TokenFile train;
  std::optional<TokenFile> valid{};  // none: no evaluation
  std::optional<TokenFile> test{};   // not read: checkpoints know it, for who scores it later
};

struct UpdateReport {
  bool applied = true;       // false: loss or gradient weren't finite, weights stayed
  double learning_rate = 0;  // of the update
  double grad_norm = 0;      // before clipping
};

class Learner {
 public:
  // The model outlives it. Error(kData) if the text holds nothing to predict.
  Learner(const Config& config, const TrainSettings& settings, LanguageModel& model,
          TrainingTexts texts);

  // The update at the state's cursor; the state moves on, its window takes the loss in. An update
  // that isn't finite is skipped with its memory: that from before goes on, except in lanes that
  // began anew in it, which do so again.
  UpdateReport update(TrainingState& state);

  // What the losses reach in the first epoch's beginning; throws as check_isolation() does.
  IsolationReport check_isolation() {
    return lc::check_isolation(model_, epochs_.at(0), settings_.seed);
  }

  EpochSize epoch_size(int64_t epoch) { return epochs_.size(epoch); }
  std::optional<int64_t> planned_steps() const { return planned_steps_; }

  Checkpoint save(const TrainingState& state) const;
  // Takes weights, optimizer and memory; Error(kData) that names source if they don't fit, or if a
  // split is another text than the checkpoint knows.
  TrainingState load(const Checkpoint& checkpoint, const std::string& source);

 private:
  void skip(const Update& update);

  const TrainSettings settings_;
  LanguageModel& model_;
  std::string tokenizer_hash_;
  KnownTexts texts_;
  EpochReader epochs_;
  std::optional<int64_t> planned_steps_;
  ScheduleSettings schedule_;
  Optimizer optimizer_;
  MemoryState memory_;
};

}  // namespace lc

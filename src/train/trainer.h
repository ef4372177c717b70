// The loop: updates, log lines, evaluations, checkpoints, until a limit, a signal or the clock.
//
// Between two updates everything that the next one depends on is in the checkpoint: weights,
// optimizer, memory and TrainingState. What comes after a restored checkpoint equals, bit for bit
// on the CPU, what would have come without the stop.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "checkpoint/run_folder.h"
#include "core/stopwatch.h"
#include "train/learner.h"
#include "train/periodic_evaluation.h"
#include "train/run_log.h"

namespace lc {

// What a trainer works on; all but the texts outlive it.
struct TrainingSetup {
  const OptionTable& table;
  const Config& config;
  LanguageModel& model;
  RunFolder& folder;
  TrainingTexts texts;
};

class Trainer {
 public:
  explicit Trainer(TrainingSetup setup);

  // Goes on from a checkpoint's step folder. Error(kData) if it doesn't fit.
  void restore(const std::filesystem::path& step_folder);
  // Returns when a limit is reached, the last step evaluated and saved. Error(kStopped) after a
  // signal or when the time is over, Error(kDiverged) after too many updates that weren't finite:
  // in both cases with the state saved.
  void run();

  const TrainingState& state() const { return state_; }

 private:
  void update();
  void evaluate();
  void save();
  void finish();
  void stop_if_asked();
  bool evaluation_due() const;
  bool checkpoint_due() const;
  void write_line();

  const TrainSettings settings_;
  RunFolder& folder_;
  Learner learner_;
  std::unique_ptr<PeriodicEvaluation> evaluation_;  // null: not asked for, or no valid split
  RunLog log_;

  TrainingState state_;
  std::optional<UpdateReport> last_;  // none: this call has made no update
  bool saved_ = false;                // the last checkpoint holds the state as it is
  int64_t saved_step_ = -1;
  Stopwatch clock_;
  double seconds_before_ = 0;   // of earlier calls
  double fraction_before_ = 0;  // done by earlier calls
};

}  // namespace lc

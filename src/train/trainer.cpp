#include "train/trainer.h"

#include <string>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "train/limits.h"
#include "train/stop_signals.h"

namespace lc {
namespace {

constexpr const char* kGoOn = "run the same command again to go on";

std::unique_ptr<PeriodicEvaluation> make_evaluation(const TrainingSetup& setup,
                                                    const TrainSettings& settings) {
  if (settings.evaluate_every == 0) return nullptr;
  if (!setup.texts.valid) {
    log_warning("there is no valid split: nothing is evaluated while training");
    return nullptr;
  }
  return std::make_unique<PeriodicEvaluation>(setup.table, setup.config, *setup.texts.valid,
                                              setup.model);
}

void report_isolation(const IsolationReport& report) {
  const std::string by_text =
      "the next token reaches " + std::to_string(report.by_text) + " parameter tensors";
  if (report.unmet) {
    log_warning("train.check_isolation shows nothing: " + by_text +
                ", and no auxiliary loss had a value in the first " +
                std::to_string(report.segments) + " segments of a lane");
    return;
  }
  log_info("losses keep apart: " + by_text + ", auxiliary losses " +
           std::to_string(report.by_auxiliary) + " others");
}

}  // namespace

Trainer::Trainer(TrainingSetup setup)
    : settings_(train_settings(setup.config)),
      folder_(setup.folder),
      learner_(setup.config, settings_, setup.model, setup.texts),
      evaluation_(make_evaluation(setup, settings_)),
      log_(setup.folder.metrics_file(), loss_unit(setup.texts.train)) {}

void Trainer::restore(const std::filesystem::path& step_folder) {
  state_ = learner_.load(load_checkpoint(step_folder), step_folder.string());
  // The pointer is written after its checkpoint: between the two a process may have ended.
  if (settings_.keep_best && state_.best &&
      std::filesystem::exists(folder_.step_folder(state_.best->step))) {
    folder_.mark_best(state_.best->step);
  }
  seconds_before_ = state_.seconds;
  saved_ = true;
  saved_step_ = state_.step;
}

void Trainer::run() {
  const StopSignals signals;
  if (settings_.check_isolation) report_isolation(learner_.check_isolation());
  RunLog::rewind(folder_.metrics_file(), state_);
  fraction_before_ =
      fraction_done(settings_.limits, state_, learner_.epoch_size(state_.epoch)).value_or(0);
  while (!finished(settings_.limits, state_)) {
    stop_if_asked();
    if (evaluation_due()) evaluate();
    if (checkpoint_due()) save();
    update();
  }
  finish();
}

void Trainer::update() {
  const Stopwatch stopwatch;
  last_ = learner_.update(state_);
  saved_ = false;
  state_.window.seconds += stopwatch.seconds();
  state_.seconds = seconds_before_ + clock_.seconds();
  if (!last_->applied) {
    log_warning("after step " + std::to_string(state_.step) +
                " an update was skipped: its loss or gradient isn't finite (" +
                std::to_string(state_.nonfinite) + " of " +
                std::to_string(settings_.max_nonfinite) + ")");
    if (state_.nonfinite < settings_.max_nonfinite) return;
    save();
    throw Error(ErrorKind::kDiverged, "train.max_nonfinite",
                std::to_string(state_.nonfinite) +
                    " updates were skipped because their loss or gradient isn't finite; the state "
                    "of step " +
                    std::to_string(state_.step) + " is saved in " + folder_.path().string(),
                "lower optim.lr or optim.clip_norm, raise train.max_nonfinite, and run it again");
  }
  if (state_.step % settings_.log_every == 0) write_line();
}

void Trainer::write_line() {
  LineDetails details{.learning_rate = last_->learning_rate,
                      .grad_norm = last_->grad_norm,
                      .steps_planned = learner_.planned_steps(),
                      .seconds_left = {}};
  const auto fraction = fraction_done(settings_.limits, state_, learner_.epoch_size(state_.epoch));
  if (fraction && *fraction > fraction_before_) {
    details.seconds_left = clock_.seconds() * (1 - *fraction) / (*fraction - fraction_before_);
  }
  log_.training(state_, details);
  state_.window = {};
}

bool Trainer::evaluation_due() const {
  return evaluation_ != nullptr && state_.step > state_.evaluated_step &&
         state_.step % settings_.evaluate_every == 0;
}

void Trainer::evaluate() {
  const Evaluation evaluation = evaluation_->run();
  log_.evaluation(state_.step, "valid", evaluation);
  state_.evaluated_step = state_.step;
  saved_ = false;
  const auto& nats = evaluation.measures.nats_per_token;
  if (!nats || (state_.best && *nats >= state_.best->nats_per_token)) return;
  state_.best = BestSoFar{state_.step, *nats};
  if (settings_.keep_best) save();
}

bool Trainer::checkpoint_due() const {
  return settings_.checkpoint_every > 0 && state_.step > 0 && state_.step != saved_step_ &&
         state_.step % settings_.checkpoint_every == 0;
}

void Trainer::save() {
  if (saved_) return;
  state_.seconds = seconds_before_ + clock_.seconds();
  save_checkpoint(folder_, state_.step, learner_.save(state_));
  if (settings_.keep_best && state_.best && state_.best->step == state_.step) {
    folder_.mark_best(state_.step);
  }
  rotate(folder_, settings_.keep_last);
  saved_ = true;
  saved_step_ = state_.step;
  log_info("checkpoint of step " + std::to_string(state_.step) + " saved");
}

void Trainer::finish() {
  // Without an update there is no rate or gradient to tell; the window stays for a longer run.
  if (last_ && state_.window.weight > 0) write_line();
  if (evaluation_ != nullptr && state_.evaluated_step < state_.step) evaluate();
  save();
}

void Trainer::stop_if_asked() {
  std::string reason;
  if (StopSignals::requested()) {
    reason = StopSignals::name();
  } else if (settings_.max_minutes && clock_.seconds() >= *settings_.max_minutes * 60) {
    reason = "train.max_minutes";
  } else {
    return;
  }
  save();
  throw Error(
      ErrorKind::kStopped, reason,
      "stopped after step " + std::to_string(state_.step) + ", saved in " + folder_.path().string(),
      kGoOn);
}

}  // namespace lc

#include "train/train_settings.h"

#include <string>

#include "core/error.h"

namespace lc {
namespace {

template <typename T>
std::optional<T> optional_value(const Config& config, std::string_view path) {
  if (config.is_null(path)) return {};
  return config.get<T>(path);
}

std::vector<Option> limit_options() {
  return {Option::integer("train.steps", nullptr)
              .at_least(1)
              .or_null()
              .in("steps")
              .taken_on_resume()
              .says("Stop after so many updates."),
          Option::integer("train.tokens", nullptr)
              .at_least(1)
              .or_null()
              .in("tokens")
              .taken_on_resume()
              .says("Stop once so many input tokens were seen."),
          Option::integer("train.epochs", nullptr)
              .at_least(1)
              .or_null()
              .in("epochs")
              .taken_on_resume()
              .says("Stop after so many passes over the train split."),
          Option::number("train.max_minutes", nullptr)
              .more_than(0)
              .or_null()
              .in("minutes")
              .taken_on_resume()
              .says("Save and stop, exit code 75, once one call has run for so long."),
          Option::integer("train.max_nonfinite", 10)
              .at_least(1)
              .in("updates")
              .taken_on_resume()
              .says("Save and stop, exit code 5, once so many updates were skipped because their "
                    "loss or gradient wasn't finite.")};
}

std::vector<Option> work_options() {
  return {Option::integer("train.lanes", 16)
              .at_least(1)
              .in("lanes")
              .says("Texts read side by side in one update, over all chunks and processes."),
          Option::integer("train.accumulation", 1)
              .at_least(1)
              .in("chunks")
              .taken_on_resume()
              .says("Cut the lanes into so many chunks, one after the other, to save memory."),
          Option::integer("train.segment_length", 128)
              .at_least(1)
              .at_most(kLongestLength)
              .in("tokens")
              .says("Tokens of a segment, after which memory is updated."),
          Option::schedule("train.bptt_segments", 1)
              .at_least(1)
              .in("segments")
              .taken_on_resume()
              .says("Segments that gradients flow through together; a number, or "
                    "[[from_step, number], ...]."),
          Option::choice("train.bptt_mode", "graph", {"graph", "replay"})
              .taken_on_resume()
              .says("How gradients go back through bptt_segments: with the graphs of all of them "
                    "held, or segment by segment, each computed again; replay holds one graph and "
                    "takes a third more time."),
          Option::choice("train.loss_part", "all", {"all", "second_half"})
              .says("The tokens of a segment that the loss counts."),
          Option::boolean("train.check_isolation", false)
              .taken_on_resume()
              .says("Before training, check that no parameter learns both from the next token and "
                    "from an auxiliary loss.")};
}

std::vector<Option> output_options() {
  return {Option::integer("checkpoint.every", 1000)
              .at_least(0)
              .in("steps")
              .taken_on_resume()
              .says("Save a checkpoint every so many steps; 0: at the end and when stopped only."),
          Option::integer("checkpoint.keep_last", 2)
              .at_least(1)
              .in("checkpoints")
              .taken_on_resume()
              .says("How many of the newest checkpoints stay."),
          Option::boolean("checkpoint.keep_best", true)
              .taken_on_resume()
              .says("Save and keep the checkpoint with the lowest validation loss."),
          Option::integer("log.every", 50)
              .at_least(1)
              .in("steps")
              .taken_on_resume()
              .says("Write a line to the console and to metrics.jsonl every so many steps.")};
}

}  // namespace

std::vector<Option> train_options() {
  std::vector<Option> options = work_options();
  for (auto more : {limit_options(), output_options()}) {
    options.insert(options.end(), more.begin(), more.end());
  }
  return options;
}

TrainSettings train_settings(const Config& config) {
  TrainSettings settings;
  settings.lanes = config.get<int64_t>("train.lanes");
  settings.accumulation = config.get<int64_t>("train.accumulation");
  settings.bptt_segments = config.at("train.bptt_segments");
  settings.bptt_mode = config.get<std::string>("train.bptt_mode") == "replay" ? BlockMode::kReplay
                                                                              : BlockMode::kGraph;
  settings.update_period = config.at("optim.update_period");
  settings.loss = {config.get<std::string>("train.loss_part") == "second_half"
                       ? LossPart::kSecondHalf
                       : LossPart::kAll,
                   target_weights(config)};
  settings.check_isolation = config.get<bool>("train.check_isolation");
  settings.limits.steps = optional_value<int64_t>(config, "train.steps");
  settings.limits.tokens = optional_value<int64_t>(config, "train.tokens");
  settings.limits.epochs = optional_value<int64_t>(config, "train.epochs");
  settings.max_minutes = optional_value<double>(config, "train.max_minutes");
  settings.max_nonfinite = config.get<int64_t>("train.max_nonfinite");
  settings.checkpoint_every = config.get<int64_t>("checkpoint.every");
  settings.keep_last = config.get<int64_t>("checkpoint.keep_last");
  settings.keep_best = config.get<bool>("checkpoint.keep_best");
  settings.log_every = config.get<int64_t>("log.every");
  settings.evaluate_every = config.get<int64_t>("eval.every");
  settings.seed = config.get<uint64_t>("run.seed");
  if (settings.accumulation > settings.lanes) {
    throw Error(ErrorKind::kUsage, "train.accumulation",
                std::to_string(settings.accumulation) + " chunks are more than the " +
                    std::to_string(settings.lanes) + " lanes there are to cut",
                "give at most train.lanes");
  }
  const TrainingLimits& limits = settings.limits;
  if (!limits.steps && !limits.tokens && !limits.epochs && !settings.max_minutes) {
    throw Error(ErrorKind::kUsage, "train", "nothing ends the run",
                "give train.steps, train.tokens, train.epochs or train.max_minutes");
  }
  return settings;
}

}  // namespace lc

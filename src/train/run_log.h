// What a run writes while it trains: metrics.jsonl, one object a line, and lines on the console.
//
// Training lines (PROTOCOL, names): step, segments, tokens, seconds, loss_nats_per_token (mean over
// the updates since the line before), lr and grad_norm (of the last update, before clipping),
// tokens_per_second (in updates alone); of each auxiliary loss and layer "aux/<name>/<layer>", the
// mean of its values, and "aux/<name>/<layer>/count", how many they were. Evaluation lines: step,
// split, nats_per_token, bits_per_byte, perplexity, "measured" where the model measures something
// of itself, and nats_per_token_without_memory where eval.knock_out asks for it of a model that has
// memory. A line is one write, so that readers never see half of one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "eval/stream_evaluation.h"
#include "train/training_state.h"

namespace lc {

// What the console shows beside the loss.
enum class LossUnit {
  kPerplexity,
  kBitsPerCharacter,  // where each token is one byte: "bpc" as the field says it
};
LossUnit loss_unit(const TokenFile& tokens);

// The last update of a line, and what is left.
struct LineDetails {
  double learning_rate = 0;
  double grad_norm = 0;
  std::optional<int64_t> steps_planned = {};
  std::optional<double> seconds_left = {};
};

class RunLog {
 public:
  RunLog(std::filesystem::path metrics_file, LossUnit unit);

  // The line of the state's window.
  void training(const TrainingState& state, const LineDetails& details);
  void evaluation(int64_t step, const std::string& split, const Evaluation& evaluation);

  // Drops what a resumed run will write again, so that readers see each step once: lines of later
  // steps, evaluations after the last that the state knows of, and a line that was cut off.
  static void rewind(const std::filesystem::path& metrics_file, const TrainingState& state);

 private:
  void append(const nlohmann::json& line);

  std::filesystem::path metrics_file_;
  LossUnit unit_;
};

std::string format_duration(double seconds);  // "42s", "3m12s", "5h03m", "2d04h"

}  // namespace lc

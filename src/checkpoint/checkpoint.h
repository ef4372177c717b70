// Checkpoints: everything that a run needs to go on, or a model to be used, in one step folder.
//
//   model.safetensors  optimizer.safetensors  memory.safetensors  state.json
//
// state.json holds the format's version, size and SHA-256 of each other file, and a SHA-256 of
// itself. A step folder appears under its name only when all of it is on the disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "checkpoint/run_folder.h"
#include "core/named_tensors.h"

namespace lc {

// In the state of weights that came from elsewhere and have no training behind them here.
inline constexpr const char* kImportedState = "imported";

struct Checkpoint {
  NamedTensors model;
  NamedTensors optimizer;
  NamedTensors memory;
  nlohmann::json state;          // the trainer's own
  std::string tokenizer_hash{};  // of the text trained on; empty: unknown
};

enum class CheckpointParts {
  kAll,
  kWeights,  // model, state and tokenizer_hash, for evaluation and generation
};

// Writes the step folder of that step, replacing one that is there, and points `last` to it.
// Error(kRuntime) if the disk is full: what was there before is untouched.
void save_checkpoint(RunFolder& folder, int64_t step, const Checkpoint& checkpoint);

// Error(kData) if anything is absent, damaged, or of another format version.
Checkpoint load_checkpoint(const std::filesystem::path& step_folder,
                           CheckpointParts parts = CheckpointParts::kAll);

// Removes all but the newest keep_last (1 at least) step folders and those that last and best name.
void rotate(RunFolder& folder, int64_t keep_last);

// What a user names as a checkpoint: a step folder, or a run folder, of which best, else last, is
// taken. Gives the step folder; Error(kData) if there is none.
std::filesystem::path resolve_checkpoint(const std::filesystem::path& path);
// The run that a step folder lies in.
RunFolder run_of(const std::filesystem::path& step_folder);

}  // namespace lc

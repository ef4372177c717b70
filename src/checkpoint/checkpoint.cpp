#include "checkpoint/checkpoint.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "checkpoint/run_folder.h"
#include "checkpoint/safetensors.h"
#include "core/error.h"
#include "core/file_io.h"

namespace lc {
namespace fs = std::filesystem;
namespace {

constexpr int64_t kFormatVersion = 1;
constexpr const char* kModel = "model.safetensors";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kMemory = "memory.safetensors";

[[noreturn]] void damaged(const fs::path& path, const std::string& what) {
  throw Error(ErrorKind::kData, path.string(), what,
              "use another checkpoint of the run, or take an intact copy of this one");
}

nlohmann::json file_entry(const fs::path& path) {
  return {{"bytes", fs::file_size(path)}, {"sha256", sha256_of_file(path)}};
}

void write_files(const fs::path& folder, int64_t step, const Checkpoint& checkpoint) {
  nlohmann::json files = nlohmann::json::object();
  for (const auto& [name, tensors] :
       {std::pair(kModel, &checkpoint.model), std::pair(kOptimizer, &checkpoint.optimizer),
        std::pair(kMemory, &checkpoint.memory)}) {
    write_safetensors(folder / name, *tensors, {{"format", "pt"}});
    files[name] = file_entry(folder / name);
  }
  nlohmann::json state{{"format_version", kFormatVersion},
                       {"step", step},
                       {"tokenizer_sha256", checkpoint.tokenizer_hash},
                       {"files", files},
                       {"state", checkpoint.state}};
  state["sha256"] = sha256_of(state.dump());
  write_file_atomically(folder / kStateFile, state.dump(2) + "\n");
}

fs::path beside(const fs::path& step_folder, std::string_view ending) {
  std::string name = ".";
  name.append(step_folder.filename().string()).append(ending);
  return step_folder.parent_path() / name;
}

// Gives the finished folder its name, in one step of the file system where it can exchange names.
void put_in_place(const fs::path& finished, const fs::path& place) {
  std::error_code failed;
  if (!fs::exists(place)) {
    fs::rename(finished, place, failed);
  } else if (renameat2(AT_FDCWD, finished.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0) {
    fs::remove_all(finished, failed);
    failed.clear();
  } else {
    const fs::path replaced = beside(place, ".replaced");
    fs::rename(place, replaced, failed);
    if (!failed) fs::rename(finished, place, failed);
    std::error_code ignored;
    if (!failed) fs::remove_all(replaced, ignored);
  }
  if (failed) {
    throw Error(ErrorKind::kRuntime, place.string(), "renaming failed: " + failed.message(),
                "check the run folder and its permissions");
  }
  sync_folder(place.parent_path());
}

nlohmann::json read_state(const fs::path& file) {
  const std::string text = read_file(file);
  auto state = nlohmann::json::parse(text, nullptr, false);
  if (!state.is_object() || !state.contains("format_version")) {
    damaged(file, "is damaged: it is no whole state of a checkpoint");
  }
  const nlohmann::json version = state["format_version"];
  const nlohmann::json sum = state.contains("sha256") ? state["sha256"] : nlohmann::json();
  state.erase("sha256");
  const bool intact = sum == sha256_of(state.dump());
  if (intact && version != kFormatVersion) {
    throw Error(ErrorKind::kData, file.string(),
                "the checkpoint has format version " + version.dump() +
                    ", and this program reads version " + std::to_string(kFormatVersion),
                "use the lctrain that wrote it, or train anew with --restart");
  }
  if (!intact) damaged(file, "is damaged: its SHA-256 is another than it was written with");
  return state;
}

NamedTensors read_tensors(const fs::path& file, const nlohmann::json& entry) {
  std::error_code absent;
  const auto bytes = fs::file_size(file, absent);
  if (absent) damaged(file, "is missing from the checkpoint");
  const auto written = entry.at("bytes").get<uint64_t>();
  if (bytes != written) {
    damaged(file, "is damaged: it has " + std::to_string(bytes) + " bytes, and " +
                      std::to_string(written) + " were written");
  }
  if (sha256_of_file(file) != entry.at("sha256").get<std::string>()) {
    damaged(file, "is damaged: its SHA-256 is another than it was written with");
  }
  return read_safetensors(file).tensors;
}

}  // namespace

void save_checkpoint(RunFolder& folder, int64_t step, const Checkpoint& checkpoint) {
  const fs::path place = folder.step_folder(step);
  const fs::path temporary = beside(place, ".tmp");
  std::error_code ignored;
  fs::remove_all(temporary, ignored);
  try {
    write_files(temporary, step, checkpoint);
    put_in_place(temporary, place);
  } catch (...) {
    fs::remove_all(temporary, ignored);
    throw;
  }
  folder.mark_last(step);
}

Checkpoint load_checkpoint(const fs::path& step_folder, CheckpointParts parts) {
  const fs::path file = step_folder / kStateFile;
  const nlohmann::json state = read_state(file);
  Checkpoint checkpoint;
  try {
    const auto& files = state.at("files");
    checkpoint.model = read_tensors(step_folder / kModel, files.at(kModel));
    if (parts == CheckpointParts::kAll) {
      checkpoint.optimizer = read_tensors(step_folder / kOptimizer, files.at(kOptimizer));
      checkpoint.memory = read_tensors(step_folder / kMemory, files.at(kMemory));
    }
    checkpoint.state = state.at("state");
    checkpoint.tokenizer_hash = state.at("tokenizer_sha256").get<std::string>();
  } catch (const nlohmann::json::exception& error) {
    damaged(file, std::string("lacks what a checkpoint holds (") + error.what() + ")");
  }
  return checkpoint;
}

void rotate(RunFolder& folder, int64_t keep_last) {
  const auto steps = folder.steps();
  const auto last = folder.last();
  const auto best = folder.best();
  const auto kept = static_cast<size_t>(std::max<int64_t>(keep_last, 1));
  for (size_t i = 0; i + kept < steps.size(); ++i) {
    const fs::path step_folder = folder.step_folder(steps[i]);
    if (last == step_folder || best == step_folder) continue;
    // Half removed, it must not pass for a checkpoint.
    const fs::path removed = beside(step_folder, ".removed");
    std::error_code failed;
    fs::rename(step_folder, removed, failed);
    fs::remove_all(failed ? step_folder : removed, failed);
  }
}

fs::path resolve_checkpoint(const fs::path& path) {
  const fs::path named = RunFolder(path).path();  // without a slash at the end
  if (fs::exists(named / kStateFile)) return named;
  if (!fs::is_directory(named)) {
    throw Error(ErrorKind::kData, path.string(), "there is no such folder",
                "give the folder of a run, or one of its step folders");
  }
  const RunFolder folder(named);
  if (const auto best = folder.best()) return *best;
  if (const auto last = folder.last()) return *last;
  throw Error(ErrorKind::kData, path.string(), "there is no checkpoint in this folder",
              "give the folder of a run that has saved one, or one of its step folders");
}

RunFolder run_of(const fs::path& step_folder) {
  const fs::path whole = fs::absolute(step_folder).lexically_normal();
  return RunFolder(
      (whole.has_filename() ? whole : whole.parent_path()).parent_path().parent_path());
}

}  // namespace lc

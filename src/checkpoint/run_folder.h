// The folder of a run and its lock.
//
//   config.json     the effective config       metrics.jsonl   one object a line
//   tokenizer.lctokenizer                      so that the run can be used without its corpus
//   checkpoints/    step_000100/ ..., and the files `last` and `best` that name one of them
//   eval/  plots/   results of evaluations     lock            while a process trains here
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace lc {

// A step folder that holds this file is whole: it is written last.
inline constexpr const char* kStateFile = "state.json";

class RunFolder {
 public:
  // Names the folder; nothing is read or made.
  explicit RunFolder(std::filesystem::path path);
  // run.out_dir, or runs/ and run.name.
  static RunFolder of(const Config& config);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config_file() const { return path_ / "config.json"; }
  std::filesystem::path metrics_file() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path tokenizer_file() const { return path_ / "tokenizer.lctokenizer"; }
  std::filesystem::path lock_file() const { return path_ / "lock"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path evaluations() const { return path_ / "eval"; }
  std::filesystem::path plots() const { return path_ / "plots"; }
  std::filesystem::path step_folder(int64_t step) const;

  bool holds_run() const;              // it has a config.json
  bool empty() const;                  // absent, or nothing in it but a lock
  std::vector<int64_t> steps() const;  // of the whole checkpoints, ascending
  // The step folders that the pointers name. A last pointer that is lost gives the newest step
  // folder, a best pointer that is lost none.
  std::optional<std::filesystem::path> last() const;
  std::optional<std::filesystem::path> best() const;
  // Written atomically. The step folder must be there.
  void mark_last(int64_t step);
  void mark_best(int64_t step);

  // Moves the folder to the first free of "<path>.old1", "<path>.old2" ...; gives the new path.
  std::filesystem::path move_aside() const;

 private:
  std::optional<std::filesystem::path> pointed(std::string_view name) const;
  void point(std::string_view name, int64_t step);

  std::filesystem::path path_;
};

// The step that a step folder's name says; none: it is no such name.
std::optional<int64_t> step_of(const std::filesystem::path& step_folder);

// Holds the run folder for this process; the folder is made if it is absent, and removed again if
// nothing was put into it. A second holder gets
// an Error(kUsage) with the process number of the first. The lock of a process that has died is
// taken over, since the system lets go of it, and what it left half done is cleared away.
class RunLock {
 public:
  explicit RunLock(const RunFolder& folder);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_;
  bool made_folder_;
};

}  // namespace lc

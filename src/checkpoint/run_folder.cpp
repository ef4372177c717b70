#include "checkpoint/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <string>

#include "core/error.h"
#include "core/file_io.h"

namespace lc {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kStep = "step_";
constexpr size_t kStepDigits = 6;

std::string step_name(int64_t step) {
  const std::string digits = std::to_string(step);
  return std::string(kStep) + std::string(kStepDigits - std::min(kStepDigits, digits.size()), '0') +
         digits;
}

// A step folder that stands aside while another takes its name: put back if its name is free.
void clear_leftovers(const fs::path& checkpoints) {
  std::error_code absent;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(checkpoints, absent)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".step_") || name.find(".tmp") != std::string::npos) {
      leftovers.push_back(entry.path());
    }
  }
  for (const fs::path& leftover : leftovers) {
    std::error_code ignored;
    if (leftover.extension() == ".replaced") {
      const fs::path step = checkpoints / leftover.stem().string().substr(1);
      if (!fs::exists(step)) fs::rename(leftover, step, ignored);
    }
    fs::remove_all(leftover, ignored);
  }
}

}  // namespace

std::optional<int64_t> step_of(const fs::path& step_folder) {
  const std::string name = step_folder.filename().string();
  const std::string digits = name.starts_with(kStep) ? name.substr(kStep.size()) : "";
  if (digits.empty() || digits.size() > 18 ||
      !std::all_of(digits.begin(), digits.end(),
                   [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; })) {
    return {};
  }
  return std::stoll(digits);
}

RunFolder::RunFolder(fs::path path) : path_(std::move(path)) {
  if (!path_.has_filename() && path_.has_parent_path()) path_ = path_.parent_path();
}

RunFolder RunFolder::of(const Config& config) {
  if (!config.is_null("run.out_dir")) return RunFolder(config.get<std::string>("run.out_dir"));
  return RunFolder(fs::path("runs") / config.get<std::string>("run.name"));
}

fs::path RunFolder::step_folder(int64_t step) const { return checkpoints() / step_name(step); }

bool RunFolder::holds_run() const { return fs::exists(config_file()); }

bool RunFolder::empty() const {
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(path_, absent)) {
    if (entry.path() != lock_file()) return false;
  }
  return true;
}

std::vector<int64_t> RunFolder::steps() const {
  std::error_code absent;
  std::vector<int64_t> steps;
  for (const auto& entry : fs::directory_iterator(checkpoints(), absent)) {
    const auto step = step_of(entry.path());
    if (step && fs::exists(entry.path() / kStateFile)) steps.push_back(*step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

std::optional<fs::path> RunFolder::pointed(std::string_view name) const {
  const fs::path file = checkpoints() / name;
  if (!fs::is_regular_file(file)) return {};
  std::string text = read_file(file);
  text.erase(std::find(text.begin(), text.end(), '\n'), text.end());
  if (!step_of(text) || !fs::exists(checkpoints() / text / kStateFile)) return {};
  return checkpoints() / text;
}

void RunFolder::point(std::string_view name, int64_t step) {
  LC_CHECK(fs::exists(step_folder(step)));
  write_file_atomically(checkpoints() / name, step_name(step) + "\n");
}

std::optional<fs::path> RunFolder::last() const {
  if (const auto named = pointed("last")) return named;
  const auto known = steps();
  if (known.empty()) return {};
  return step_folder(known.back());
}

std::optional<fs::path> RunFolder::best() const { return pointed("best"); }
void RunFolder::mark_last(int64_t step) { point("last", step); }
void RunFolder::mark_best(int64_t step) { point("best", step); }

fs::path RunFolder::move_aside() const {
  for (int64_t number = 1;; ++number) {
    const fs::path target = path_.string() + ".old" + std::to_string(number);
    if (fs::exists(target)) continue;
    std::error_code failed;
    fs::rename(path_, target, failed);
    if (!failed) return target;
    throw Error(ErrorKind::kRuntime, path_.string(),
                "can't be moved to " + target.string() + ": " + failed.message(),
                "check the permissions of the folder above it");
  }
}

RunLock::RunLock(const RunFolder& folder)
    : file_(folder.lock_file()), descriptor_(-1), made_folder_(false) {
  const auto cannot = [&](const char* doing) {
    throw Error(ErrorKind::kRuntime, file_.string(),
                std::string(doing) + " failed: " + std::strerror(errno),
                "check the run folder and its permissions");
  };
  std::error_code ignored;
  made_folder_ = fs::create_directories(folder.path(), ignored);
  while (true) {
    descriptor_ = open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0) cannot("creating the lock");
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const int code = errno;
      std::string holder = read_file(file_);
      holder.erase(std::find(holder.begin(), holder.end(), '\n'), holder.end());
      close(descriptor_);
      errno = code;
      if (code != EWOULDBLOCK) cannot("locking");
      throw Error(
          ErrorKind::kUsage, folder.path().string(),
          "process " + (holder.empty() ? "unknown" : holder) + " is training in this folder",
          "wait for it, stop it, or choose another run.out_dir");
    }
    // Another process may have removed the file between open and lock: then it locks nothing.
    struct stat held {};
    struct stat named {};
    if (fstat(descriptor_, &held) == 0 && stat(file_.c_str(), &named) == 0 &&
        held.st_ino == named.st_ino && held.st_dev == named.st_dev) {
      break;
    }
    close(descriptor_);
  }
  const std::string text = std::to_string(getpid()) + "\n";
  if (ftruncate(descriptor_, 0) != 0 ||
      write(descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    close(descriptor_);
    cannot("writing the lock");
  }
  clear_leftovers(folder.checkpoints());
}

RunLock::~RunLock() {
  struct stat held {};
  struct stat named {};
  // The run folder may have been moved aside meanwhile: another's lock isn't removed.
  if (fstat(descriptor_, &held) == 0 && stat(file_.c_str(), &named) == 0 &&
      held.st_ino == named.st_ino && held.st_dev == named.st_dev) {
    unlink(file_.c_str());
    if (made_folder_) rmdir(file_.parent_path().c_str());  // which fails where something stands
  }
  close(descriptor_);
}

}  // namespace lc

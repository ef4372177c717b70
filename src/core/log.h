// Logging and progress, all on stderr: stdout carries results only.
// spdlog is seen by log.cpp alone, since LibTorch's folder carries another fmt.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lc {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

void set_log_level(LogLevel level);
void set_log_file(const std::string& path);  // lines also go to this file, appended

void log_debug(std::string_view text);
void log_info(std::string_view text);
void log_warning(std::string_view text);
void log_error(std::string_view text);

// A progress bar with an estimate of the time left. It is drawn only where stderr is a terminal
// and TERM is not "dumb"; elsewhere nothing is printed. Log lines pass above the bar.
class Progress {
 public:
  // total: units of work in all, 0 if unknown. unit: what they are ("tokens", "bytes").
  Progress(std::string_view label, int64_t total, std::string_view unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void update(int64_t done);
  // Progress bars are switched off for the whole program by --no-progress.
  static void disable();

 private:
  std::string label_;
  std::string unit_;
  int64_t total_;
  double started_s_;
  double drawn_s_ = 0;
};

}  // namespace lc

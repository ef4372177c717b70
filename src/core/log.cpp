#include "core/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

namespace lc {
namespace {

// A line of stderr that log lines must pass above.
std::mutex drawing;
std::string drawn_line;
bool bars_allowed = true;

bool is_terminal() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && term != nullptr && std::strcmp(term, "dumb") != 0;
}

void erase_line() {
  if (!drawn_line.empty()) std::fputs("\r\033[K", stderr);
}

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    const auto mode = std::getenv("NO_COLOR") == nullptr ? spdlog::color_mode::automatic
                                                         : spdlog::color_mode::never;
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(mode);
    auto made = std::make_shared<spdlog::logger>("lctrain", sink);
    made->set_pattern("%H:%M:%S %^%l%$ %v");
    made->flush_on(spdlog::level::info);
    return made;
  }();
  return *instance;
}

void write_line(spdlog::level::level_enum level, std::string_view text) {
  const std::lock_guard<std::mutex> lock(drawing);
  erase_line();
  logger().log(level, spdlog::string_view_t(text.data(), text.size()));
  if (!drawn_line.empty()) std::fputs(drawn_line.c_str(), stderr);
}

double now_s() {
  using clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
}

std::string duration_text(double seconds) {
  char text[32];
  const auto whole = static_cast<long>(seconds);
  std::snprintf(text, sizeof(text), "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  return text;
}

}  // namespace

void set_log_level(LogLevel level) {
  static constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                          spdlog::level::warn, spdlog::level::err,
                                                          spdlog::level::off};
  logger().set_level(kLevels[static_cast<int>(level)]);
}

void set_log_file(const std::string& path) {
  logger().sinks().push_back(std::make_shared<spdlog::sinks::basic_file_sink_mt>(path));
}

void log_debug(std::string_view text) { write_line(spdlog::level::debug, text); }
void log_info(std::string_view text) { write_line(spdlog::level::info, text); }
void log_warning(std::string_view text) { write_line(spdlog::level::warn, text); }
void log_error(std::string_view text) { write_line(spdlog::level::err, text); }

Progress::Progress(std::string_view label, int64_t total, std::string_view unit)
    : label_(label), unit_(unit), total_(total), started_s_(now_s()) {}

Progress::~Progress() {
  if (drawn_s_ == 0) return;
  const std::lock_guard<std::mutex> lock(drawing);
  erase_line();
  drawn_line.clear();
}

void Progress::disable() { bars_allowed = false; }

void Progress::update(int64_t done) {
  const double now = now_s();
  if (now - std::max(drawn_s_, started_s_) < 0.2 || !bars_allowed || !is_terminal()) return;
  drawn_s_ = now;
  const double elapsed = now - started_s_;
  std::string line = "\r\033[K" + label_ + " " + std::to_string(done);
  if (total_ > 0) {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    const auto filled = static_cast<size_t>(share * 30);
    line += "/" + std::to_string(total_) + " " + unit_ + " [" + std::string(filled, '=') +
            std::string(30 - filled, ' ') + "] " + std::to_string(static_cast<int>(share * 100)) +
            "%";
    if (done > 0) line += " eta " + duration_text(elapsed / share - elapsed);
  } else {
    line += " " + unit_ + " " + duration_text(elapsed);
  }
  const std::lock_guard<std::mutex> lock(drawing);
  drawn_line = line;
  std::fputs(line.c_str(), stderr);
}

}  // namespace lc

#include "train/stop_signals.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace lc {
namespace {

// The line end is for the ^C that a terminal shows.
constexpr char kHeard[] =
    "\nlctrain: stopping after the running step, with a checkpoint; a second signal stops at once, "
    "without one\n";

volatile std::sig_atomic_t received = 0;
volatile std::sig_atomic_t on_terminal = 0;

// Both signals go back to their default, which is to end the process.
void set_default() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

// With nothing but what a signal handler may call.
void say_heard() {
  const int code = errno;
  const size_t skipped = on_terminal != 0 ? 0 : 1;
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, kHeard + skipped, sizeof(kHeard) - 1 - skipped);
  errno = code;
}

extern "C" void on_signal(int signal) {
  received = signal;
  set_default();
  say_heard();
}

}  // namespace

StopSignals::StopSignals() {
  received = 0;
  on_terminal = isatty(STDERR_FILENO);
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

StopSignals::~StopSignals() { set_default(); }

bool StopSignals::requested() { return received != 0; }

const char* StopSignals::name() { return received == SIGINT ? "SIGINT" : "SIGTERM"; }

}  // namespace lc

#include "train/stop_signals.h"

#include <csignal>

namespace lc {
namespace {

volatile std::sig_atomic_t received = 0;

// Both signals go back to their default, which is to end the process.
void set_default() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

extern "C" void on_signal(int signal) {
  received = signal;
  set_default();
}

}  // namespace

StopSignals::StopSignals() {
  received = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

StopSignals::~StopSignals() { set_default(); }

bool StopSignals::requested() { return received != 0; }

const char* StopSignals::name() { return received == SIGINT ? "SIGINT" : "SIGTERM"; }

}  // namespace lc

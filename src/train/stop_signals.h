// SIGINT and SIGTERM while training: the first asks for a stop after the running step, which is
// said on stderr, a second one ends the process at once.
#pragma once

namespace lc {

// Handlers are set while it lives. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  static bool requested();
  static const char* name();  // of the signal that came: "SIGTERM"
};

}  // namespace lc

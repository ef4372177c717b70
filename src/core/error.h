// Errors that a user can cause or meet, with the exit code that each kind ends in.
// A message is one sentence made of place, value and remedy. Slips of the programmer are not errors
// of this kind: they go through LC_CHECK and cannot be reached from user input.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace lc {

// The documented exit codes of every program.
enum class ErrorKind : int {
  kRuntime = 1,   // a failure while running: disk full, a device lost
  kUsage = 2,     // command line or config
  kData = 3,      // data or checkpoint missing, damaged or not fitting
  kMemory = 4,    // out of memory
  kDiverged = 5,  // too many non-finite losses
  kStopped = 75,  // stopped by a signal or time limit, with a checkpoint saved
};

class Error : public std::runtime_error {
 public:
  // where: file, config path or flag; what: the fault with the value found; remedy: what to do.
  Error(ErrorKind kind, std::string_view where, std::string_view what, std::string_view remedy);
  ErrorKind kind() const { return kind_; }
  // As given; the message begins with it. Lives as long as the error.
  std::string_view where() const { return {what(), where_size_}; }

 private:
  ErrorKind kind_;
  size_t where_size_;
};

[[noreturn]] void fail_check(const char* condition, const char* file, int line);

// Aborts with place and condition: a slip in this program, never a user's mistake.
#define LC_CHECK(condition)                                             \
  do {                                                                  \
    if (!(condition)) ::lc::fail_check(#condition, __FILE__, __LINE__); \
  } while (false)

}  // namespace lc

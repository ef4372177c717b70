// lcgen writes its text while it makes it.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "apps/lceval_process.h"
#include "catch.h"

namespace {

// lcgen writing to a pipe that keeps what is written at a time apart: each read gives what one
// write gave. It waits where some writes are unread. Where the system has no such pipes it is a
// plain one, and reads give a few bytes of whatever was written.
class WrittenText {
 public:
  explicit WrittenText(const std::string& run) {
    std::array<int, 2> ends{};
    keeps_writes_apart_ = pipe2(ends.data(), O_DIRECT | O_CLOEXEC) == 0;
    if (!keeps_writes_apart_) REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
    read_end_ = ends[0];
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      execl(LC_BIN_DIR "/lcgen", "lcgen", "--checkpoint", run.c_str(), "--prompt", "the river",
            "--tokens", "100000", "--quiet", static_cast<char*>(nullptr));
      _exit(127);
    }
    close(ends[1]);
  }
  ~WrittenText() {
    if (running()) end_with(SIGKILL);
    close(read_end_);
  }
  WrittenText(const WrittenText&) = delete;
  WrittenText& operator=(const WrittenText&) = delete;

  bool keeps_writes_apart() const { return keeps_writes_apart_; }
  // What one write gave, or a part; empty after the last, and after a minute without one.
  std::string next() const {
    pollfd waiting{.fd = read_end_, .events = POLLIN, .revents = 0};
    std::array<char, 8192> bytes{};
    if (poll(&waiting, 1, 60'000) != 1) return "";
    const ssize_t count = read(read_end_, bytes.data(), keeps_writes_apart_ ? bytes.size() : 4);
    return count > 0 ? std::string(bytes.data(), static_cast<size_t>(count)) : "";
  }
  bool running() {
    if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
    return !ended_;
  }
  // The signal that it ended by: that one, or SIGKILL if it didn't heed it for half a minute.
  int end_with(int signal) {
    kill(pid_, signal);
    for (int i = 0; i < 3000 && running(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (running()) {
      kill(pid_, SIGKILL);
      waitpid(pid_, &status_, 0);
      ended_ = true;
    }
    return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
  }

 private:
  bool keeps_writes_apart_ = false;
  int read_end_ = -1;
  pid_t pid_ = -1;
  bool ended_ = false;
  int status_ = 0;
};

}  // namespace

TEST_CASE("text is written character by character, long before the last one is made", "[lcgen]") {
  const lceval::Workplace place;
  lceval::train_xl(place);
  WrittenText text(place.run("xl").string());
  for (int i = 0; i < 20; ++i) {
    const std::string piece = text.next();
    CAPTURE(i, piece.size());
    REQUIRE(!piece.empty());
    // A token is a byte, a character at most four.
    if (text.keeps_writes_apart()) CHECK(piece.size() <= 4);
  }
  CHECK(text.running());
  CHECK(text.end_with(SIGTERM) == SIGTERM);
}

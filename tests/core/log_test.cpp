#include "core/log.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <regex>
#include <string>

#include "catch.h"

namespace lc {
namespace {

enum class Screen { kTerminal, kFile };

// What a child process that runs body writes to stderr.
std::string written(Screen screen, const char* term, const std::function<void()>& body) {
  int reader = -1;
  int writer = -1;
  if (screen == Screen::kTerminal) {
    reader = posix_openpt(O_RDWR | O_NOCTTY);
    REQUIRE(reader >= 0);
    REQUIRE(grantpt(reader) == 0);
    REQUIRE(unlockpt(reader) == 0);
    writer = open(ptsname(reader), O_RDWR | O_NOCTTY);
  } else {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    reader = ends[0];
    writer = ends[1];
  }
  REQUIRE(writer >= 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(writer, STDERR_FILENO);
    setenv("TERM", term, 1);
    body();
    fflush(stderr);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  char buffer[4096];
  fcntl(reader, F_SETFL, O_NONBLOCK);
  const ssize_t bytes = read(reader, buffer, sizeof(buffer));
  close(writer);
  close(reader);
  return std::string(buffer, bytes > 0 ? static_cast<size_t>(bytes) : 0);
}

void work() {
  Progress progress("reading", 200, "tokens");
  usleep(250'000);
  progress.update(50);
  log_info("a line");
  usleep(250'000);
  progress.update(100);
}

}  // namespace

TEST_CASE("A terminal sees a bar with the time left, and lines above it", "[log]") {
  const std::string text = written(Screen::kTerminal, "xterm", work);
  CHECK(text.find("reading 50/200 tokens [=======") != std::string::npos);
  // Three times what the first quarter took, which a busy machine makes a second or more.
  CHECK(std::regex_search(text, std::regex("25% eta 0:00:[0-5][0-9]")));
  const size_t line = text.find("a line");
  REQUIRE(line != std::string::npos);
  CHECK(text.find("reading 50/200", line) != std::string::npos);  // drawn again below the line
  CHECK(text.find("reading 100/200", line) != std::string::npos);
}

TEST_CASE("Files, dumb terminals and --no-progress see lines only", "[log]") {
  const auto silenced = [] {
    Progress::disable();
    work();
  };
  for (const std::string& text :
       {written(Screen::kFile, "xterm", work), written(Screen::kTerminal, "dumb", work),
        written(Screen::kTerminal, "xterm", silenced)}) {
    CHECK(text.find("a line") != std::string::npos);
    CHECK(text.find("reading") == std::string::npos);
  }
}

TEST_CASE("Colours are for terminals that want them", "[log]") {
  const auto warn = [] { log_warning("careful"); };
  const auto plainly = [] {
    setenv("NO_COLOR", "1", 1);
    log_warning("careful");
  };
  const auto coloured = [](const std::string& text) {
    return text.find('\x1b') != std::string::npos;
  };
  CHECK(coloured(written(Screen::kTerminal, "xterm", warn)));
  CHECK_FALSE(coloured(written(Screen::kTerminal, "xterm", plainly)));
  CHECK_FALSE(coloured(written(Screen::kFile, "xterm", warn)));
}

TEST_CASE("Lines below the level are left out", "[log]") {
  const std::string text = written(Screen::kFile, "xterm", [] {
    set_log_level(LogLevel::kWarning);
    log_info("quiet");
    log_warning("{} loud");
  });
  CHECK(text.find("quiet") == std::string::npos);
  CHECK(text.find("{} loud") != std::string::npos);
}

}  // namespace lc

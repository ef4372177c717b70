#include "checkpoint/run_folder.h"

#include <signal.h>
#include <sys/wait.h>

#include "catch.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/temporary_folder.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

void make_step(const RunFolder& folder, int64_t step) {
  write_file_atomically(folder.step_folder(step) / "state.json", "{}");
}

}  // namespace

TEST_CASE("Step folders are known by their names", "[run_folder]") {
  CHECK(step_of("a/step_000012") == 12);
  CHECK(step_of("step_1234567") == 1234567);
  CHECK_FALSE(step_of("step_"));
  CHECK_FALSE(step_of("step_12x"));
  CHECK_FALSE(step_of(".step_000012"));
}

TEST_CASE("A lost last pointer gives the newest step, a lost best none", "[run_folder]") {
  const TemporaryFolder temporary;
  RunFolder folder(temporary.path());
  CHECK_FALSE(folder.last());
  for (const int64_t step : {9, 1000000, 20}) make_step(folder, step);
  CHECK(folder.steps() == std::vector<int64_t>{9, 20, 1000000});
  CHECK(folder.last() == folder.step_folder(1000000));
  folder.mark_last(20);
  folder.mark_best(9);
  CHECK(folder.last() == folder.step_folder(20));
  fs::remove_all(folder.step_folder(20));
  fs::remove_all(folder.step_folder(9));
  CHECK(folder.last() == folder.step_folder(1000000));
  CHECK_FALSE(folder.best());
}

TEST_CASE("A run folder is held by one process, and freed when it ends or dies", "[run_folder]") {
  const TemporaryFolder temporary;
  const RunFolder folder(temporary.path() / "run");
  CHECK(folder.empty());
  {
    const RunLock lock(folder);
    CHECK(folder.empty());
    CHECK(read_file(folder.lock_file()) == std::to_string(getpid()) + "\n");
    try {
      const RunLock second(folder);
      FAIL("held twice");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::kUsage);
      CHECK(std::string(error.what()).find("process " + std::to_string(getpid())) !=
            std::string::npos);
    }
  }
  CHECK_FALSE(fs::exists(folder.lock_file()));

  const pid_t child = fork();
  if (child == 0) {
    const RunLock lock(folder);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(fs::exists(folder.lock_file()));
  const RunLock taken_over(folder);
  CHECK(read_file(folder.lock_file()) == std::to_string(getpid()) + "\n");
}

TEST_CASE("A folder that was made to be held goes again, unless something stands in it",
          "[run_folder]") {
  const TemporaryFolder temporary;
  const RunFolder folder(temporary.path() / "run");
  { const RunLock lock(folder); }
  CHECK_FALSE(fs::exists(folder.path()));
  {
    const RunLock lock(folder);
    make_step(folder, 1);
  }
  CHECK(folder.steps() == std::vector<int64_t>{1});
  const RunFolder made_before(temporary.path() / "made");
  fs::create_directories(made_before.path());
  { const RunLock lock(made_before); }
  CHECK(fs::exists(made_before.path()));
}

TEST_CASE("What a dead process left half done is cleared away", "[run_folder]") {
  const TemporaryFolder temporary;
  const RunFolder folder(temporary.path());
  make_step(folder, 1);
  write_file_atomically(folder.checkpoints() / ".step_000002.tmp" / "model.safetensors", "half");
  write_file_atomically(folder.checkpoints() / ".step_000003.replaced" / "state.json", "{}");
  write_file_atomically(folder.checkpoints() / ".step_000001.replaced" / "state.json", "old");
  const RunLock lock(folder);
  CHECK(folder.steps() == std::vector<int64_t>{1, 3});
  CHECK(read_file(folder.step_folder(1) / "state.json") == "{}");
  CHECK_FALSE(fs::exists(folder.checkpoints() / ".step_000002.tmp"));
  CHECK_FALSE(fs::exists(folder.checkpoints() / ".step_000001.replaced"));
}

TEST_CASE("A run moved aside is whole, and nothing is overwritten", "[run_folder]") {
  const TemporaryFolder temporary;
  const RunFolder folder(temporary.path() / "run");
  make_step(folder, 1);
  CHECK(folder.move_aside() == temporary.path() / "run.old1");
  make_step(folder, 2);
  CHECK(folder.move_aside() == temporary.path() / "run.old2");
  CHECK(RunFolder(temporary.path() / "run.old1").steps() == std::vector<int64_t>{1});
  CHECK_FALSE(fs::exists(folder.path()));
}

}  // namespace lc

#include "core/file_io.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catch.h"
#include "core/error.h"
#include "core/temporary_folder.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

int64_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

}  // namespace

TEST_CASE("A file appears whole, when it is committed", "[file_io]") {
  const TemporaryFolder temporary;
  const fs::path path = temporary.path() / "new" / "a";
  {
    AtomicFile file(path);
    file.write("headless");
    CHECK_FALSE(fs::exists(path));
  }
  CHECK(entries(temporary.path() / "new") == 0);
  AtomicFile file(path);
  file.write("????body");
  file.write_at(0, "head", 4);
  file.write("!");
  CHECK(file.position() == 9);
  file.commit();
  CHECK(read_file(path) == "headbody!");
  CHECK(entries(temporary.path() / "new") == 1);
}

TEST_CASE("A full disk leaves the old file, and the message says what to do", "[file_io]") {
  const TemporaryFolder temporary;
  const fs::path path = temporary.path() / "a";
  write_file_atomically(path, "old");
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_file_atomically(path, std::string(100000, 'x'));
    } catch (const Error& error) {
      const std::string message = error.what();
      const bool clear = error.kind() == ErrorKind::kRuntime &&
                         message.find(path.string()) != std::string::npos &&
                         message.find("100000 bytes") != std::string::npos &&
                         message.find("free some space") != std::string::npos;
      _exit(clear ? 0 : 2);
    }
    _exit(1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(read_file(path) == "old");
  CHECK(entries(temporary.path()) == 1);
}

TEST_CASE("A pipe is never replaced, and of a link the file that it leads to", "[file_io]") {
  const TemporaryFolder temporary;
  const fs::path pipe = temporary.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  try {
    write_file_atomically(pipe, "new");
    FAIL("written");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    CHECK(error.what() ==
          pipe.string() + ": is a device or a pipe, which can't be replaced; name a file");
  }
  CHECK(fs::is_fifo(pipe));
  write_file_atomically(temporary.path() / "file", "old");
  fs::create_symlink("file", temporary.path() / "link");
  write_file_atomically(temporary.path() / "link", "new");
  CHECK(fs::is_symlink(temporary.path() / "link"));
  CHECK(read_file(temporary.path() / "file") == "new");
  CHECK(entries(temporary.path()) == 3);
}

TEST_CASE("A name that is too long to be written is the user's to change", "[file_io]") {
  const TemporaryFolder temporary;
  const fs::path path = temporary.path() / std::string(300, 'a');
  try {
    write_file_atomically(path, "new");
    FAIL("written");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    CHECK(error.what() ==
          path.string() + ": creating the file failed: File name too long; choose a shorter one");
  }
  CHECK(entries(temporary.path()) == 0);
}

TEST_CASE("What can't be read is an error of the data", "[file_io]") {
  const TemporaryFolder temporary;
  for (const fs::path& path : {temporary.path() / "absent", temporary.path()}) {
    try {
      read_file(path);
      FAIL("read");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::kData);
      CHECK(std::string(error.what()).find(path.string()) == 0);
    }
  }
  write_file_atomically(temporary.path() / "empty", "");
  CHECK(read_file(temporary.path() / "empty").empty());
}

TEST_CASE("SHA-256 gives the published digests", "[file_io]") {
  CHECK(sha256_of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 pieces;
  pieces.update("a");
  pieces.update("bc");
  CHECK(pieces.hex() == sha256_of("abc"));
}

}  // namespace lc

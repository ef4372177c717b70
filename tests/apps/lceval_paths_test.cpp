// Paths at which lceval can write nothing, refused before anything is evaluated; and empty ones.
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "apps/lceval_process.h"
#include "catch.h"

namespace lceval {

TEST_CASE("lceval refuses places where nothing can be written before it evaluates anything") {
  const Workplace place;
  train_xl(place);
  fs::create_directories(place.path() / "folder");
  write(place.path() / "file", "kept");
  REQUIRE(mkfifo((place.path() / "pipe").c_str(), 0600) == 0);
  const auto refused = [&](int exit_code, std::vector<std::string> arguments) {
    arguments.emplace_back("runs/xl");
    return refusal(place, exit_code, arguments);
  };
  for (const std::string flag : {"--csv", "--dump-nll"}) {
    CHECK(refused(2, {flag, "folder"}) ==
          "lceval: " + flag + " folder: is a folder; name a file\n");
    CHECK(refused(2, {flag, "pipe"}) ==
          "lceval: " + flag + " pipe: is a device or a pipe; name a file\n");
    const std::string below = refused(2, {flag, "file/a.csv"});
    CHECK(below.starts_with("lceval: " + flag + " file/a.csv: "));
    CHECK(below.ends_with("/file is no folder; choose another path\n"));
  }
  CHECK(refused(2, {"--context", "0,4", "--plot", "folder"}) ==
        "lceval: --plot folder: is a folder; name a file\n");
  for (const std::vector<std::string>& verb :
       {std::vector<std::string>{}, {"attention"}, {"--memory-footprint"}}) {
    std::vector<std::string> arguments = verb;
    arguments.insert(arguments.end(), {"--out", "file"});
    CHECK(refused(2, arguments) == "lceval: --out file: is no folder; name a folder\n");
  }
  CHECK(refused(2, {"report", "--out", "file/a.html"}).find(" is no folder; ") !=
        std::string::npos);
  CHECK(lctrain::bytes(place.path() / "file") == "kept");

  if (geteuid() != 0) {  // the superuser may write anywhere
    fs::permissions(place.path() / "folder", fs::perms::owner_read | fs::perms::owner_exec);
    CHECK(refused(1, {"--csv", "folder/a.csv"}).find("can't be written to: ") != std::string::npos);
    fs::permissions(place.path() / "folder", fs::perms::owner_all);
  }

  // A folder that isn't there yet is made, and a file that is there is replaced.
  CHECK(run_lceval(place, {"runs/xl", "--csv", "new/deep/a.csv", "--out", "new/out"}).exit_code ==
        0);
  CHECK(fs::exists(place.path() / "new/deep/a.csv"));
  CHECK(fs::exists(place.path() / "new/out/valid.json"));
  CHECK(run_lceval(place, {"runs/xl", "--csv", "file"}).exit_code == 0);
  CHECK(lctrain::bytes(place.path() / "file") != "kept");
}

TEST_CASE("a path that is empty is refused, as that of a variable that isn't set") {
  const Workplace place;
  const auto told = [&](const std::string& program, const std::vector<std::string>& arguments) {
    const lctrain::Result result = run_program(place, program, arguments);
    CHECK(result.exit_code == 2);
    return result.err;
  };
  const auto message = [](const std::string& program, const std::string& flag) {
    return program + ": " + flag + ": is empty; give a path\n";
  };
  for (const std::string flag :
       {"--checkpoint", "--data", "--csv", "--plot", "--dump-nll", "--out"}) {
    CHECK(told("lceval", {"--checkpoint", "runs/xl", flag, ""}) == message("lceval", flag));
  }
  CHECK(told("lceval", {"report", ""}) == message("lceval", "runs"));
  CHECK(told("lcgen", {"--checkpoint", ""}) == message("lcgen", "--checkpoint"));
}

}  // namespace lceval

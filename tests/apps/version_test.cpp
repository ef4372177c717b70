// --version of every program: what it is, what it was built from, and what it can compute on.
#include <ATen/Context.h>

#include <cstdlib>
#include <regex>
#include <string>

#include "apps/lceval_process.h"
#include "catch.h"

namespace lceval {

TEST_CASE("flag --version tells commit, build, LibTorch and CUDA, the same in every program") {
  const Workplace place;
  const std::regex form(
      R"(lctrain \d+\.\d+\.\d+ \(commit ([0-9a-f]{7,40}(?:-dirty)?|unknown), )"
      R"((?:Release|Debug|RelWithDebInfo|MinSizeRel) build, [A-Za-z]+ \d[0-9.]*\)\n)"
      R"(LibTorch \d+\.\d+\.\d+ \((CPU|CUDA \d+\.\d+) build\), CUDA device (yes|no)\n)");
  const bool checkout =
      fs::exists(LC_SOURCE_DIR "/.git") &&
      std::system("git -C '" LC_SOURCE_DIR "' rev-parse --verify -q HEAD >/dev/null 2>&1") == 0;
  std::string first;
  for (const char* program : {"lctrain", "lceval", "lcprep", "lcgen"}) {
    const lctrain::Result result = run_program(place, program, {"--version"});
    CAPTURE(program, result.out, result.err);
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
    std::smatch found;
    REQUIRE(std::regex_match(result.out, found, form));
    if (checkout) CHECK(found[1] != "unknown");
    // The test itself is linked to the same LibTorch.
    CHECK((found[2] == "CPU") == !at::Context::hasCUDART());
    CHECK((found[3] == "yes") == at::hasCUDA());
    if (first.empty()) first = result.out;
    CHECK(result.out == first);
  }
}

}  // namespace lceval

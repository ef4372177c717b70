// Paths that no file can have, given to each flag that takes one.
#include <string>
#include <vector>

#include "apps/lceval_process.h"
#include "catch.h"

namespace lceval {
namespace {

const std::string kLong(300, 'a');

// "3 lceval: ...", without log lines before.
std::string told(const Workplace& place, const std::string& program,
                 const std::vector<std::string>& arguments) {
  const lctrain::Result result = run_program(place, program, arguments);
  const size_t begin = result.err.find(program + ": ");
  INFO(result.err);
  REQUIRE(begin != std::string::npos);
  return std::to_string(result.exit_code) + " " + result.err.substr(begin);
}

std::string unseen(const std::string& program, const std::string& path) {
  return "3 " + program + ": " + path +
         ": can't be looked at: File name too long; check the path and its permissions\n";
}

std::string unwritten(const std::string& flag) {
  return "2 lceval: " + flag + " " + kLong +
         ": can't be written: File name too long; choose another path\n";
}

}  // namespace

TEST_CASE("a path that is too long is refused in one sentence that names it") {
  const Workplace place;
  train_xl(place);
  const std::string unread = kLong + ": can't be read: File name too long; ";
  CHECK(told(place, "lceval", {"--checkpoint", kLong}) == unseen("lceval", kLong));
  CHECK(told(place, "lceval", {"report", kLong}) == unseen("lceval", kLong));
  CHECK(told(place, "lcgen", {"--checkpoint", kLong}) == unseen("lcgen", kLong + "/state.json"));
  CHECK(told(place, "lceval", {"runs/xl", "--data", kLong}).starts_with("3 lceval: " + unread));
  CHECK(told(place, "lceval", {"report", "runs/xl", "--results", kLong})
            .starts_with("3 lceval: --results " + unread));
  CHECK(told(place, "lcprep", {"--info", kLong}).starts_with("3 lcprep: " + unread));
  CHECK(told(place, "lcprep", {"--set", "data.path=" + kLong}).starts_with("3 lcprep: " + unread));
  for (const char* program : {"lctrain", "lcprep"}) {
    CHECK(
        told(place, program, {"--config", kLong})
            .starts_with("2 " + std::string(program) + ": " + kLong + ": there is no such config"));
  }

  CHECK(told(place, "lceval", {"report", "runs/xl", "--out", kLong}) == unwritten("--out"));
  CHECK(told(place, "lceval", {"runs/xl", "--csv", kLong}) == unwritten("--csv"));
  CHECK(told(place, "lceval", {"runs/xl", "--out", kLong}) == unwritten("--out"));
  CHECK(told(place, "lcprep", {"tokenizer", "--set", "data.path=valid.txt", "--out", kLong}) ==
        "2 lcprep: " + kLong +
            ": creating the file failed: File name too long; choose a shorter one\n");
  CHECK(told(place, "lcprep",
             {"export", "--format", "huggingface", "--checkpoint", "runs/xl", "--out", kLong}) ==
        unseen("lcprep", kLong));
}

}  // namespace lceval

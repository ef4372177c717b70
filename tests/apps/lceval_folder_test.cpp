// lceval on a folder of runs of which some are of no use, and on the same runs named one by one.
#include <string>

#include "apps/lceval_process.h"
#include "apps/lcprep_process.h"
#include "catch.h"

namespace lceval {
namespace {

size_t occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

void run_lcprep(const Workplace& place, const std::vector<std::string>& arguments) {
  const lctrain::Result result = run_program(place, "lcprep", arguments);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
}

// The weights of runs/xl as another run, without vocabulary or text.
void import_bare(const Workplace& place, const std::string& run,
                 const std::vector<std::string>& more = {}) {
  if (!fs::exists(place.path() / "exported")) {
    run_lcprep(place, {"export", "--format", "huggingface", "--checkpoint", "runs/xl", "--out",
                       "exported"});
  }
  std::vector<std::string> arguments{"--out", run};
  arguments.insert(arguments.end(), more.begin(), more.end());
  run_lcprep(place, lcprep::importing(arguments));
}

// Beside runs/xl and runs/vanilla: runs/bare without vocabulary, runs/begun without checkpoint.
void make_useless_runs(const Workplace& place) {
  import_bare(place, "runs/bare");
  fs::create_directories(place.run("begun"));
  fs::copy_file(place.run("xl") / "config.json", place.run("begun") / "config.json");
}

constexpr const char* kBare =
    "runs/bare: has no vocabulary, and names no text that would tell it; import its weights again, "
    "with --vocab FILE or the text, --set data.path=...";
constexpr const char* kBegun = "runs/begun: there is no checkpoint in this folder";

// What is said of the two on stderr, once each; the names of the runs that are left.
std::vector<std::string> names_left(const Workplace& place, std::vector<std::string> arguments,
                                    const std::vector<std::string>& faults) {
  arguments.insert(arguments.end(), {"--checkpoint", "runs", "--json"});
  const lctrain::Result result = run_lceval(place, arguments);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(occurrences(result.err, " warning left out: ") == faults.size());
  for (const std::string& fault : faults) {
    CHECK(occurrences(result.err, " warning left out: " + fault) == 1);
  }
  std::vector<std::string> names;
  const Json json = Json::parse(result.out);
  for (const Json& run : json.at("runs")) names.push_back(run.at("name"));
  return names;
}

}  // namespace

TEST_CASE("a useless run of a folder is left out with one warning, and all others are scored") {
  const Workplace place;
  train_xl(place);
  train_vanilla(place);
  make_useless_runs(place);
  const std::vector<std::string> useful{"vanilla", "xl"};
  CHECK(names_left(place, {}, {kBare, kBegun}) == useful);
  CHECK(names_left(place, {"--context", "0,8"}, {kBare, kBegun}) == useful);
  CHECK(names_left(place, {"--memory", "4"}, {kBare, kBegun}) == useful);
  CHECK(names_left(place, {"--data", "valid.txt"}, {kBare, kBegun}) == useful);
  CHECK(names_left(place, {"attention"}, {kBare, kBegun}) == useful);
  CHECK(run_lceval(place, {"slices", "runs", "--by", "position"}).exit_code == 0);

  const fs::path weights = place.run("vanilla") / "checkpoints" /
                           lctrain::pointer(place.run("vanilla"), "best") / "model.safetensors";
  write(weights, lctrain::bytes(weights).substr(0, 100));
  fs::remove_all(place.run("begun"));
  const lctrain::Result damaged = run_lceval(place, {"runs"});
  CHECK(damaged.exit_code == 0);
  CHECK(damaged.out.find("\nxl ") != std::string::npos);
  CHECK(damaged.out.find("\nvanilla ") == std::string::npos);
  CHECK(occurrences(damaged.err, "warning left out: ") == 2);
}

TEST_CASE("a useless run that is named itself, or that others are measured against, is refused") {
  const Workplace place;
  train_xl(place);
  make_useless_runs(place);
  CHECK(refusal(place, 3, {"runs/bare"}) == "lceval: " + std::string(kBare) + "\n");
  CHECK(refusal(place, 3, {"runs/xl", "runs/bare"}) == "lceval: " + std::string(kBare) + "\n");
  CHECK(refusal(place, 3, {"runs/bare", "--data", "valid.txt"}) ==
        "lceval: " + std::string(kBare) + "\n");
  CHECK(refusal(place, 3, {"passkey", "runs/bare", "--lengths", "400"}) ==
        "lceval: " + std::string(kBare) + "\n");
  CHECK(refusal(place, 3, {"recl", "runs", "--step", "4", "--longest", "8"}).find("runs/bare: ") !=
        std::string::npos);
  CHECK(refusal(place, 3, {"compare", "runs/xl", "runs/begun"}).find(kBegun) != std::string::npos);

  fs::create_directories(place.path() / "useless");
  fs::rename(place.run("bare"), place.path() / "useless" / "bare");
  CHECK(refusal(place, 3, {"useless"})
            .starts_with("lceval: --checkpoint: names no run that can be used; useless/bare: has"));

  // Of several runs the message names the one whose text is gone.
  Json config = Json::parse(lctrain::bytes(place.run("xl") / "config.json"));
  config["data"]["train"] = {"gone.txt"};
  write(place.run("begun") / "config.json", config.dump());
  fs::copy(place.run("xl") / "checkpoints", place.run("begun") / "checkpoints",
           fs::copy_options::recursive);
  CHECK(refusal(place, 3, {"runs/xl", "runs/begun"})
            .starts_with("lceval: runs/begun: gone.txt: doesn't exist; "));

  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += std::to_string(byte) + "\n";
  write(place.path() / "bytes.txt", bytes);
  import_bare(place, "runs/textless", {"--vocab", "bytes.txt"});
  CHECK(refusal(place, 3, {"runs/textless"}) ==
        "lceval: runs/textless: names no text of its own; give one with --data\n");
}

TEST_CASE("a memory footprint needs no vocabulary") {
  const Workplace place;
  train_xl(place);
  make_useless_runs(place);
  CHECK(names_left(place, {"--memory-footprint"}, {kBegun}) ==
        std::vector<std::string>{"bare", "xl"});
  const Json bare = json_of(place, {"--memory-footprint", "runs/bare"});
  const Json xl = json_of(place, {"--memory-footprint", "runs/xl"});
  CHECK(bare.at("carried") == xl.at("carried"));
  CHECK(bare.at("in_segment") == xl.at("in_segment"));
}

}  // namespace lceval

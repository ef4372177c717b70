// The golden runner: every case of every family that is registered, in float64 and in float32.
#include <iostream>
#include <map>
#include <set>

#include "catch.h"
#include "golden/golden_case.h"

namespace {

// How many cases there were.
int run_family(const std::string& family, const golden::Runner& run,
               const std::vector<at::ScalarType>& dtypes = {at::kDouble, at::kFloat}) {
  int count = 0;
  for (const golden::Location& location : golden::find_cases(golden::roots())) {
    if (location.family != family || golden::coverage(location) != golden::Coverage::kCovered) {
      continue;
    }
    ++count;
    const golden::Case loaded = golden::load_case(location);
    for (const auto dtype : dtypes) {
      INFO(location.folder.string() << (dtype == at::kDouble ? " in float64" : " in float32"));
      try {
        run(loaded, dtype);
      } catch (const std::exception& error) {
        FAIL_CHECK(error.what());
      }
    }
  }
  return count;
}

bool of_words(const golden::Case& golden) { return golden.json.at("kind") == "checkpoint_word"; }

}  // namespace

TEST_CASE("transformer_xl cases agree", "[golden]") {
  CHECK(run_family("transformer_xl", golden::run_transformer_xl) > 0);
}

TEST_CASE("vanilla cases agree", "[golden]") {
  CHECK(run_family("vanilla", golden::run_vanilla) > 0);
}

TEST_CASE("infini cases agree", "[golden]") { CHECK(run_family("infini", golden::run_infini) > 0); }

TEST_CASE("positions cases agree", "[golden]") {
  CHECK(run_family("positions", golden::run_positions) > 0);
}

TEST_CASE("compressive cases agree", "[golden]") {
  CHECK(run_family("compressive", golden::run_compressive) > 0);
}

// In three parts, since each scores texts of up to 116,000 tokens five times.
TEST_CASE("trained checkpoints of words agree in float64, from raw text", "[golden]") {
  run_family(
      "checkpoints",
      [](const golden::Case& golden, at::ScalarType dtype) {
        if (of_words(golden)) golden::run_checkpoint_texts(golden, dtype);
      },
      {at::kDouble});
}

TEST_CASE("trained checkpoints of characters agree in float64, from raw text", "[golden]") {
  run_family(
      "checkpoints",
      [](const golden::Case& golden, at::ScalarType dtype) {
        if (!of_words(golden)) golden::run_checkpoint_texts(golden, dtype);
      },
      {at::kDouble});
}

TEST_CASE("trained checkpoints agree in float32, from raw text", "[golden]") {
  run_family("checkpoints", golden::run_checkpoint_texts, {at::kFloat});
}

TEST_CASE("checkpoints of other codes agree", "[golden]") {
  if (run_family("checkpoints", golden::run_checkpoint_tokens) > 0) return;
  std::cout << "checkpoints: none found, since they are too big for this repository: set "
               "LC_GOLDEN_DIR to a folder that has some\n";
}

TEST_CASE("passkey prompts agree byte for byte", "[golden]") {
  int count = 0;
  for (const golden::Location& location : golden::find_cases(golden::roots())) {
    if (location.family != "passkey") continue;
    golden::run_passkey(location.folder);
    ++count;
  }
  CHECK(count > 0);
}

// So that the agreement is proved without LC_GOLDEN_DIR.
TEST_CASE("this repository has golden cases of every family but whole checkpoints", "[golden]") {
  std::set<std::string> families;
  for (const golden::Location& location : golden::find_cases({golden::roots().front()})) {
    if (golden::coverage(location) == golden::Coverage::kCovered) families.insert(location.family);
  }
  CHECK(families == std::set<std::string>{"compressive", "infini", "passkey", "positions",
                                          "transformer_xl", "vanilla"});
}

TEST_CASE("every golden case is registered", "[golden]") {
  std::map<std::string, int> covered;
  std::map<std::string, int> later;
  for (const golden::Location& location : golden::find_cases(golden::roots())) {
    switch (golden::coverage(location)) {
      case golden::Coverage::kCovered:
        ++covered[location.family];
        break;
      case golden::Coverage::kLater:
        ++later[location.family];
        break;
      case golden::Coverage::kUnknown:
        FAIL_CHECK("no test is registered for " << location.folder.string());
    }
  }
  for (const auto& [family, count] : covered) std::cout << family << ": " << count << " cases\n";
  for (const auto& [family, count] : later) {
    std::cout << family << ": " << count << " cases not yet covered\n";
  }
  CHECK(!covered.empty());
}

TEST_CASE("a golden folder that is absent or empty is a failure", "[golden]") {
  const auto empty = std::filesystem::temp_directory_path() / "lctrain_empty_golden";
  std::filesystem::create_directories(empty);
  CHECK_THROWS(golden::find_cases({empty}));
  std::filesystem::remove(empty);
  CHECK_THROWS(golden::find_cases({empty}));
}

// The golden runner: every case of every family that is registered, in float64 and in float32.
#include <iostream>
#include <map>

#include "catch.h"
#include "golden/golden_case.h"

namespace {

void run_family(const std::string& family, const golden::Runner& run) {
  for (const golden::Location& location : golden::find_cases(golden::roots())) {
    if (location.family != family || golden::coverage(location) != golden::Coverage::kCovered) {
      continue;
    }
    const golden::Case loaded = golden::load_case(location);
    for (const auto dtype : {at::kDouble, at::kFloat}) {
      INFO(location.folder.string() << (dtype == at::kDouble ? " in float64" : " in float32"));
      try {
        run(loaded, dtype);
      } catch (const std::exception& error) {
        FAIL_CHECK(error.what());
      }
    }
  }
}

}  // namespace

TEST_CASE("transformer_xl cases agree", "[golden]") {
  run_family("transformer_xl", golden::run_transformer_xl);
}

TEST_CASE("vanilla cases agree", "[golden]") { run_family("vanilla", golden::run_vanilla); }

TEST_CASE("infini cases agree", "[golden]") { run_family("infini", golden::run_infini); }

TEST_CASE("positions cases agree", "[golden]") { run_family("positions", golden::run_positions); }

TEST_CASE("compressive cases agree", "[golden]") {
  run_family("compressive", golden::run_compressive);
}

TEST_CASE("passkey prompts agree byte for byte", "[golden]") {
  for (const golden::Location& location : golden::find_cases(golden::roots())) {
    if (location.family == "passkey") golden::run_passkey(location.folder);
  }
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

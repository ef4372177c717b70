#include "core/error.h"

#include <string>

#include "catch.h"

TEST_CASE("an error is a sentence that begins with its place, and tells the place") {
  const lc::Error error(lc::ErrorKind::kUsage, "--tokens", "0 is too small", "give 1 or more");
  CHECK(std::string(error.what()) == "--tokens: 0 is too small; give 1 or more");
  CHECK(error.where() == "--tokens");
  const lc::Error copy = error;
  CHECK(copy.where() == "--tokens");
  const lc::Error nowhere(lc::ErrorKind::kUsage, "", "a: b", "");
  CHECK(nowhere.where().empty());
  CHECK(std::string(nowhere.what()) == "a: b");
}

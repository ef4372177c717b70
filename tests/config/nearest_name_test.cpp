// What a misspelt name was meant to be.
#include "config/nearest_name.h"

#include <string>
#include <vector>

#include "catch.h"

namespace {

std::string nearest_of(const std::string& written, const std::vector<std::string>& known) {
  lc::NearestName nearest(written);
  for (const std::string& name : known) nearest.offer(name);
  return nearest.best();
}

}  // namespace

TEST_CASE("edits are letters put in, taken out or changed") {
  CHECK(lc::edits("", "") == 0);
  CHECK(lc::edits("slices", "slices") == 0);
  CHECK(lc::edits("slices", "slcies") == 2);
  CHECK(lc::edits("context", "contxt") == 1);
  CHECK(lc::edits("", "abc") == 3);
  CHECK(lc::edits("kitten", "sitting") == 3);
}

TEST_CASE("the nearest name is given, the first of equals, and none that is far") {
  CHECK(nearest_of("--contxt", {"--csv", "--context", "--context-mode"}) == "--context");
  CHECK(nearest_of("--lan", {"--lane", "--land"}) == "--lane");
  CHECK(nearest_of("--land", {"--lane", "--land"}) == "--land");
  CHECK(nearest_of("abc", {"xyz"}).empty());
  CHECK(nearest_of("abc", {"axy"}) == "axy");
  CHECK(nearest_of("abcdefgh", {"abcdxxx"}).empty());
  CHECK(nearest_of("abcdefgh", {"abcdexxx"}) == "abcdexxx");
  CHECK(nearest_of("abc", {}).empty());
}

// What an update's auxiliary losses are divided by, and that chunks don't change them, is in
// gradient_test.cpp.
#include "train/auxiliary_terms.h"

#include "catch.h"

TEST_CASE("sums of a window add up by name and layer", "[train]") {
  std::vector<lc::AuxiliarySum> window;
  lc::accumulate(window, {{"a", 0, 1.0, 2}, {"a", 1, 3.0, 4}});
  lc::accumulate(window, {{"a", 1, 0.5, 1}, {"b", 1, 7.0, 1}});
  REQUIRE(window.size() == 3);
  CHECK(window[0].sum == 1.0);
  CHECK(window[1].sum == 3.5);
  CHECK(window[1].count == 5);
  CHECK(window[2].name == "b");
}

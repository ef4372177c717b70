#include "report/file_place.h"

#include "catch.h"

TEST_CASE("a run's own files are named by the split alone only if they are of it as trained") {
  const lc::FilePlace own = lc::own_place({"runs/xl/eval", "test"});
  CHECK(own.file(".json") == "runs/xl/eval/test.json");
  CHECK(own.file("_sweep.csv") == "runs/xl/eval/test_sweep.csv");
  const lc::FilePlace other = lc::own_place({"runs/xl/eval", "test", false});
  CHECK(other.file(".json") == "runs/xl/eval/test_other.json");
  CHECK(other.file("_sweep.csv") == "runs/xl/eval/test_other_sweep.csv");
}

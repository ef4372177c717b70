// lceval --memory-footprint on runs that lctrain has just trained.
#include <sstream>

#include "apps/lceval_process.h"
#include "catch.h"

namespace lceval {
namespace {

constexpr const char* kFlag = "--memory-footprint";

void check_carried(const Json& run, int64_t numbers, int64_t counters) {
  CHECK(run.at("carried").at("numbers") == numbers);
  CHECK(run.at("carried").at("counters") == counters);
  CHECK(run.at("carried").at("bytes") == 4 * numbers + 8 * counters);
}

}  // namespace

TEST_CASE("lceval --memory-footprint shows what each run carries, without text or weights") {
  const Workplace place;
  train_zoo(place);
  // Neither is needed.
  fs::remove(place.path() / "train.txt");
  fs::remove(place.path() / "valid.txt");
  fs::remove_all(place.path() / "cache");
  const Json json = json_of(place, {kFlag, "--checkpoint", "runs", "--csv", "held.csv"});
  REQUIRE(json.at("runs").size() == 4);
  const Json& xl = run_named(json, "xl");
  check_carried(xl, 2 * 2 * 24 * 16, 0);
  CHECK(xl.at("segment") == 16);
  CHECK(xl.at("in_segment").at("rows").at("numbers") == 2 * 2 * 16 * 16);
  CHECK(xl.at("in_segment").at("attention").at("numbers") == 2 * 40 * 16 + 2 * 16 * 40);
  CHECK(xl.at("in_segment").at("bytes") == 4 * (1024 + 1280 + 1280));
  // Memory of 24 before a segment, and below that before the one that row 24 stands in.
  CHECK(xl.at("effective_context") == 32 + 24);
  check_carried(run_named(json, "vanilla"), 0, 0);
  CHECK(run_named(json, "vanilla").at("effective_context") == 0);
  check_carried(run_named(json, "compressive"), 2 * 16 * (24 + 12), 0);
  check_carried(run_named(json, "infini"), 2 * 2 * 8 * 9, 2);
  CHECK(run_named(json, "infini").at("effective_context").is_null());

  std::istringstream csv(lctrain::bytes(place.path() / "held.csv"));
  std::string line;
  std::getline(csv, line);
  CHECK(line.rfind("run,model,segment,sequence_segments,carried_numbers", 0) == 0);
  int rows = 0;
  while (std::getline(csv, line)) {
    ++rows;
    if (line.rfind("infini,", 0) == 0) CHECK(line.back() == ',');
  }
  CHECK(rows == 4);

  const lctrain::Result table = run_lceval(place, {kFlag, "--checkpoint", "runs"});
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("carried bytes") != std::string::npos);
  CHECK(table.out.find("unbounded") != std::string::npos);
}

TEST_CASE("lceval --memory-footprint follows the flags of an evaluation") {
  const Workplace place;
  train_zoo(place);
  const Json xl = json_of(place, {kFlag, "--checkpoint", "runs/xl", "--memory", "48", "--segment",
                                  "8", "--precision", "float64"});
  CHECK(xl.at("carried").at("numbers") == 2 * 2 * 48 * 16);
  CHECK(xl.at("carried").at("bytes") == 8 * 2 * 2 * 48 * 16);
  CHECK(xl.at("segment") == 8);
  CHECK(xl.at("effective_context") == 2 * 48);
  const Json infini =
      json_of(place, {kFlag, "--checkpoint", "runs/infini", "--set", "data.sequence_segments=5"});
  CHECK(infini.at("effective_context") == 5 * 16);
  const std::vector<std::string> compressive{kFlag, "--checkpoint", "runs/compressive"};
  std::vector<std::string> longer = compressive;
  longer.insert(longer.end(), {"--compressed", "40"});
  check_carried(json_of(place, longer), 2 * 16 * (24 + 40), 0);
  std::vector<std::string> ragged = compressive;
  ragged.insert(ragged.end(), {"--segment", "18"});
  CHECK(refusal(place, 2, ragged).find("--segment") != std::string::npos);
  refusal(place, 2, {kFlag, "--checkpoint", "runs/infini", "--memory", "8"});
  refusal(place, 2, {kFlag, "--checkpoint", "runs/xl", "--context", "0,8"});
  refusal(place, 2, {kFlag, "--checkpoint", "runs/xl", "--data", "valid.txt"});
  refusal(place, 2, {kFlag, "compare", "runs/xl", "runs/infini"});
  refusal(place, 3, {kFlag, "--checkpoint", "runs/absent"});
}

}  // namespace lceval

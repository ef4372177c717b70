// Tables of footprints: effective context as the paper counts it, and what stands where.
#include "report/footprint_results.h"

#include "catch.h"

namespace {

lc::FootprintResult result(const std::string& name, std::optional<int64_t> reach,
                           int64_t sequence_segments) {
  lc::Footprint held{{1'585'152, 12, 6'340'704}, {50, 0, 200}, {7, 0, 28}, reach};
  return {name, "some_model", 2048, sequence_segments, held};
}

}  // namespace

TEST_CASE("effective context is the reach, and at most one sequence") {
  CHECK(result("a", 2048 * 12, 0).effective_context() == 24'576);
  CHECK(result("a", 2048 * 12, 16).effective_context() == 24'576);
  CHECK(result("a", 2048 * 12, 4).effective_context() == 4 * 2048);
  CHECK(result("a", std::nullopt, 16).effective_context() == 32'768);  // N S
  CHECK_FALSE(result("a", std::nullopt, 0).effective_context().has_value());
  CHECK(result("a", 0, 16).effective_context() == 0);
}

TEST_CASE("footprints are told in numbers and bytes, as table, JSON and CSV") {
  const auto one = result("long, of books", std::nullopt, 16);
  const std::string table = lc::footprint_table({one, result("b", std::nullopt, 0)});
  for (const char* part : {"1,585,152", "6,340,704", "57", "228", "32,768", "unbounded"}) {
    INFO(table);
    CHECK(table.find(part) != std::string::npos);
  }
  const nlohmann::json json = lc::footprint_json({one});
  CHECK_FALSE(json.contains("name"));
  CHECK(json.at("carried") ==
        nlohmann::json({{"numbers", 1'585'152}, {"counters", 12}, {"bytes", 6'340'704}}));
  CHECK(json.at("in_segment").at("bytes") == 228);
  CHECK(json.at("in_segment").at("rows").at("numbers") == 50);
  CHECK(json.at("effective_context") == 32'768);
  CHECK(lc::footprint_json({one, one}).at("runs").size() == 2);
  const std::string csv = lc::footprint_csv({one, result("b", std::nullopt, 0)});
  CHECK(csv.find("\"long, of books\",some_model,2048,16,1585152,12,6340704,57,228,50,200,7,28,"
                 "32768\n") != std::string::npos);
  CHECK(csv.find("b,some_model,2048,0,1585152,12,6340704,57,228,50,200,7,28,\n") !=
        std::string::npos);
}

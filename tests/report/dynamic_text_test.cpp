// Dynamic evaluations as tables, CSV, JSON, plots and files.
#include "report/dynamic_text.h"

#include <filesystem>

#include "catch.h"
#include "core/file_io.h"
#include "core/temporary_folder.h"
#include "report/report_files.h"
#include "report/svg_elements.h"

namespace lc {
namespace {

RunResult dynamic_result(const std::string& name) {
  RunResult result;
  result.name = name;
  result.source = {{"split", "test"}, {"step", 10}};
  result.evaluation.measures.nats_per_token = 1.5;
  result.evaluation.protocol["dynamic"] = {{"rule", "sgd"}, {"lr", 0.001}, {"decay", 0.0}};
  DynamicComparison comparison;
  comparison.plain.nats_per_token = 1.75;
  comparison.difference = {-0.25, Interval{-0.3, -0.2}, 128, {}};
  comparison.along = {{64, 2, 2.25}, {128, 1.5, 1.75}};
  result.dynamic = comparison;
  return result;
}

}  // namespace

TEST_CASE("a dynamic evaluation as a table and as CSV") {
  const std::string table = dynamic_table({dynamic_result("xl")});
  CHECK(table.find("xl   sgd, lr 0.001, decay 0          1.5000           1.7500    -0.25000  "
                   "-0.30000 to -0.20000\n") != std::string::npos);
  CHECK(dynamic_csv({dynamic_result("a"), dynamic_result("b")}) ==
        "run,tokens,nats_per_token,plain_nats_per_token\na,64,2,2.25\na,128,1.5,1.75\n"
        "b,64,2,2.25\nb,128,1.5,1.75\n");
}

TEST_CASE("a dynamic evaluation as JSON, as a plot and as files of their own name") {
  const RunResult result = dynamic_result("xl");
  const nlohmann::json json = result_json(result);
  CHECK(json.at("dynamic").at("plain").at("nats_per_token") == 1.75);
  CHECK(json.at("dynamic").at("difference").at("nats_high") == -0.2);
  CHECK(json.at("dynamic").at("along")[1].at("plain_nats_per_token") == 1.75);
  CHECK(report_stem(result) == "test_dynamic");
  const TemporaryFolder folder;
  const auto files = write_report({result}, {folder.path(), "test"});
  REQUIRE(files.size() == 3);
  CHECK(files[0] == folder.path() / "test_dynamic.json");
  CHECK(read_file(files[1]) == dynamic_csv({result}));
  const auto elements = svg::parse(read_file(files[2]));
  CHECK(svg::of_class(elements, "polyline", "line").size() == 2);
  CHECK(svg::of_class(elements, "text", "title").at(0).text == "Dynamic evaluation along the text");
}

}  // namespace lc

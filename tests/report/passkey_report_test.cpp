// Passkey grids as tables, CSV and heat maps.
#include "report/passkey_report.h"

#include <filesystem>
#include <string>

#include "catch.h"
#include "core/file_io.h"
#include "report/svg_elements.h"

namespace lc {
namespace {

PasskeyGrid grid_of(bool has_memory) {
  PasskeyGrid grid;
  grid.request = {PasskeyFormat::kToy, {64, 1024}, {0, 0.5}, 64, 1};
  grid.chance = {0.1, 0.001};
  double accuracy = 0;
  for (const int64_t length : grid.request.lengths) {
    for (const double depth : grid.request.depths) {
      PasskeyCell cell{length, depth, 64, static_cast<double>(length - 3), 1};
      cell.carried = {accuracy, accuracy / 2, accuracy / 4};
      if (has_memory) cell.zeroed = PasskeyScores{0.125, 0, 0};
      grid.cells.push_back(cell);
      accuracy += 0.25;
    }
  }
  return grid;
}

}  // namespace

TEST_CASE("a passkey table has one row a cell, and says what chance is") {
  const std::string table = passkey_table(grid_of(true));
  CHECK(table.find("1,024    0.5           1.0      75.0     37.5             18.8") !=
        std::string::npos);
  CHECK(table.find("12.5") != std::string::npos);
  CHECK(table.find("chance: digits 10.0 %, exact 0.100 %; 64 samples a row") != std::string::npos);
  CHECK(passkey_table(grid_of(false)).find(" -\n") != std::string::npos);
}

TEST_CASE("a passkey grid as CSV") {
  const std::string csv = passkey_csv(grid_of(true));
  CHECK(csv.rfind("format,length,depth,samples,tokens,compressions,digit_accuracy,exact,"
                  "first_integer,memory_zeroed_digit_accuracy,memory_zeroed_exact,"
                  "memory_zeroed_first_integer,chance_digit,chance_exact\n"
                  "toy,64,0,64,61,1,0,0,0,0.125,0,0,0.1,0.001\n"
                  "toy,64,0.5,64,61,1,0.25,0.125,0.0625,0.125,0,0,0.1,0.001\n",
                  0) == 0);
  CHECK(passkey_csv(grid_of(false)).find("0.0625,,,,0.1") != std::string::npos);
}

TEST_CASE("a heat map shows each cell's share in its place, darker for more") {
  const HeatMap map = passkey_heat_map(grid_of(true), "a <run>");
  const auto elements = svg::parse(svg_heat_map(map));
  CHECK(svg::of_class(elements, "text", "title").at(0).text == "Passkey retrieval: a <run>");
  const auto fields = svg::of_class(elements, "rect", "field");
  const auto numbers = svg::of_class(elements, "text", "number");
  REQUIRE(fields.size() == 8);  // two panels of two depths and two lengths
  REQUIRE(numbers.size() == 8);
  const std::vector<std::string> expected = {"0", "50", "25", "75"};
  for (size_t i = 0; i < 8; ++i) {
    if (i < expected.size()) CHECK(numbers[i].text == expected[i]);
    const double x = std::stod(fields[i].attributes.at("x"));
    const double y = std::stod(fields[i].attributes.at("y"));
    CHECK(std::stod(numbers[i].attributes.at("x")) > x);
    CHECK(std::stod(numbers[i].attributes.at("y")) > y);
  }
  const auto place = [&](size_t i, const char* axis) {
    return std::stod(fields[i].attributes.at(axis));
  };
  CHECK(place(0, "y") == place(1, "y"));  // the same depth
  CHECK(place(0, "x") == place(2, "x"));  // the same length
  CHECK(place(0, "x") < place(1, "x"));
  CHECK(place(0, "y") < place(2, "y"));
  CHECK(place(3, "y") < place(4, "y"));
  const auto green = [&](size_t i) {
    const std::string fill = fields[i].attributes.at("fill");
    return std::stoi(fill.substr(fill.find(',') + 1));
  };
  CHECK(green(0) > green(2));
  CHECK(green(2) > green(1));
  CHECK(green(1) > green(3));
  CHECK(svg::of_class(elements, "text", "panel").size() == 2);
  const auto without = svg::parse(svg_heat_map(passkey_heat_map(grid_of(false), "b")));
  CHECK(svg::of_class(without, "rect", "field").size() == 4);
}

TEST_CASE("passkey report files") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "lc_passkey_report_test" / "eval";
  std::filesystem::remove_all(folder.parent_path());
  const PasskeyGrid grid = grid_of(true);
  CHECK(write_passkey_report(grid, "a", {folder, "passkey"}).size() == 3);
  CHECK(nlohmann::json::parse(read_file(folder / "passkey_toy.json")) == grid.to_json());
  CHECK(read_file(folder / "passkey_toy.csv") == passkey_csv(grid));
  CHECK(read_file(folder / "passkey_toy.svg") == svg_heat_map(passkey_heat_map(grid, "a")));
  std::filesystem::remove_all(folder.parent_path());
}

}  // namespace lc

#include "report/passkey_report.h"

#include <optional>

#include "config/json_text.h"
#include "core/file_io.h"
#include "core/number_text.h"
#include "report/csv.h"
#include "report/table.h"

namespace lc {
namespace {

std::string per_cent(double share) { return decimal(100 * share, 1); }

void add_scores(const std::optional<PasskeyScores>& scores, std::vector<std::string>& row) {
  for (double PasskeyScores::*score :
       {&PasskeyScores::digit_accuracy, &PasskeyScores::exact, &PasskeyScores::first_integer}) {
    row.push_back(scores ? per_cent(*scores.*score) : "-");
  }
}

void add_numbers(const std::optional<PasskeyScores>& scores, std::vector<std::string>& row) {
  for (double PasskeyScores::*score :
       {&PasskeyScores::digit_accuracy, &PasskeyScores::exact, &PasskeyScores::first_integer}) {
    row.push_back(scores ? csv_number(*scores.*score) : "");
  }
}

template <typename Score>
HeatPanel panel(const PasskeyGrid& grid, const std::string& name, Score&& score) {
  HeatPanel result{name, {}};
  for (size_t d = 0; d < grid.request.depths.size(); ++d) {
    result.rows.emplace_back();
    for (size_t l = 0; l < grid.request.lengths.size(); ++l) {
      result.rows.back().push_back(score(grid.cell(l, d)));
    }
  }
  return result;
}

}  // namespace

std::string passkey_table(const PasskeyGrid& grid) {
  TextTable table({{"length"},
                   {"depth"},
                   {"compressions"},
                   {"digits %"},
                   {"exact %"},
                   {"first integer %"},
                   {"zeroed: digits %"},
                   {"exact %"},
                   {"first integer %"}});
  for (const PasskeyCell& cell : grid.cells) {
    std::vector<std::string> row = {grouped(cell.length), csv_number(cell.depth),
                                    decimal(cell.compressions, 1)};
    add_scores(cell.carried, row);
    add_scores(cell.zeroed, row);
    table.add_row(std::move(row));
  }
  return table.text() + "chance: digits " + per_cent(grid.chance.digit) + " %, exact " +
         decimal(100 * grid.chance.exact, 3) + " %; " + grouped(grid.request.samples) +
         " samples a row; zeroed: the question's segment begins from initial memory\n";
}

std::string passkey_csv(const PasskeyGrid& grid) {
  std::string text =
      csv_line({"format", "length", "depth", "samples", "tokens", "compressions", "digit_accuracy",
                "exact", "first_integer", "memory_zeroed_digit_accuracy", "memory_zeroed_exact",
                "memory_zeroed_first_integer", "chance_digit", "chance_exact"});
  for (const PasskeyCell& cell : grid.cells) {
    std::vector<std::string> row = {name_of(grid.request.format), std::to_string(cell.length),
                                    csv_number(cell.depth),       std::to_string(cell.samples),
                                    csv_number(cell.tokens),      csv_number(cell.compressions)};
    add_numbers(cell.carried, row);
    add_numbers(cell.zeroed, row);
    row.push_back(csv_number(grid.chance.digit));
    row.push_back(csv_number(grid.chance.exact));
    text += csv_line(row);
  }
  return text;
}

HeatMap passkey_heat_map(const PasskeyGrid& grid, const std::string& name) {
  HeatMap map;
  map.title = "Passkey retrieval: " + name;
  map.subtitle = "digit accuracy in %; format " + name_of(grid.request.format) + ", " +
                 grouped(grid.request.samples) + " samples a field, chance " +
                 decimal(100 * grid.chance.digit, 0);
  map.x_label = "length of the prompt (bytes)";
  map.y_label = "depth of the needle (share of the filler before it)";
  for (const int64_t length : grid.request.lengths) map.columns.push_back(grouped(length));
  for (const double depth : grid.request.depths) map.rows.push_back(csv_number(depth));
  map.panels.push_back(panel(grid, "memory carried",
                             [](const PasskeyCell& cell) { return cell.carried.digit_accuracy; }));
  if (!grid.cells.front().zeroed) {
    map.panels.front().name = "a model without memory";
    return map;
  }
  map.panels.push_back(panel(grid, "memory zeroed",
                             [](const PasskeyCell& cell) { return cell.zeroed->digit_accuracy; }));
  return map;
}

std::vector<std::filesystem::path> write_passkey_report(const PasskeyGrid& grid,
                                                        const std::string& name,
                                                        const FilePlace& place) {
  const auto file = [&](const char* extension) {
    return place.file("_" + name_of(grid.request.format) + extension);
  };
  write_file_atomically(file(".json"), json_text(grid.to_json(), 2) + "\n");
  write_file_atomically(file(".csv"), passkey_csv(grid));
  write_file_atomically(file(".svg"), svg_heat_map(passkey_heat_map(grid, name)));
  return {file(".json"), file(".csv"), file(".svg")};
}

}  // namespace lc

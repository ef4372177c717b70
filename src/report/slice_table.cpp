#include "report/slice_table.h"

#include <cmath>

#include "core/number_text.h"
#include "report/svg/plot_text.h"
#include "report/table.h"
#include "report/table_results.h"

namespace lc {
namespace {

constexpr size_t kNameLimit = 60;

std::optional<double> number_at(const nlohmann::json& object, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return {};
  return found->get<double>();
}

std::string in_per_cent(const std::optional<double>& value) {
  return value ? decimal(100 * *value, 1) : "-";
}

// Of the measure that "NAME_low" and "NAME_high" bound.
std::optional<Interval> interval_at(const nlohmann::json& slice, const std::string& name) {
  const auto low = number_at(slice, name + "_low");
  const auto high = number_at(slice, name + "_high");
  if (!low || !high) return {};
  return Interval{*low, *high};
}

// The slices of a run and its whole, as JSON has them.
nlohmann::json rows_of(const nlohmann::json& run) {
  nlohmann::json rows = run.at("slices");
  rows.push_back(run.at("whole"));
  rows.back()["slice"] = "all";
  return rows;
}

bool any_has(const nlohmann::json& rows, const std::string& key) {
  for (const nlohmann::json& row : rows) {
    if (row.contains(key) && !row.at(key).is_null()) return true;
  }
  return false;
}

std::string slice_name(const nlohmann::json& row) {
  return shortened(row.at("slice").get<std::string>(), kNameLimit);
}

std::string year_of(const nlohmann::json& row) {
  const auto year = row.find("year");
  return year == row.end() ? "" : year->dump();
}

std::string one_run_table(const nlohmann::json& run, const std::string& by) {
  const nlohmann::json rows = rows_of(run);
  const bool years = any_has(rows, "year");
  const bool bytes = any_has(rows, "bits_per_byte");
  const bool documents = any_has(rows, "document");
  std::vector<TableColumn> columns = {{by, Align::kLeft}};
  if (years) columns.push_back({"year"});
  for (const char* title : {"tokens", "% of tokens", "% of loss", "nats per token",
                            "95% interval (nats)", "perplexity"}) {
    columns.push_back({title});
  }
  if (bytes) columns.push_back({"bits per byte"});
  if (documents) {
    columns.push_back({"word perplexity"});
    columns.push_back({"95% interval (word perplexity)"});
  }
  TextTable table(columns);
  for (const nlohmann::json& row : rows) {
    std::vector<std::string> cells = {slice_name(row)};
    if (years) cells.push_back(year_of(row));
    cells.push_back(grouped(row.at("tokens").get<int64_t>()));
    cells.push_back(in_per_cent(number_at(row, "share_of_tokens")));
    cells.push_back(in_per_cent(number_at(row, "share_of_nats")));
    cells.push_back(table_number(number_at(row, "nats_per_token"), 4));
    cells.push_back(interval_text(interval_at(row, "nats"), 4));
    cells.push_back(perplexity_text(number_at(row, "perplexity")));
    if (bytes) cells.push_back(table_number(number_at(row, "bits_per_byte"), 4));
    if (documents) {
      cells.push_back(perplexity_text(number_at(row, "word_perplexity")));
      cells.push_back(perplexity_interval_text(interval_at(row, "word_perplexity")));
    }
    table.add_row(std::move(cells));
  }
  return table.text();
}

// One number of several runs side by side; by: title of the first column.
struct SideBySide {
  std::string by;
  std::string key;
  std::string (*text)(const std::optional<double>& value);
};

std::string runs_side_by_side(const nlohmann::json& runs, const SideBySide& shown) {
  std::vector<TableColumn> columns = {{shown.by, Align::kLeft}, {"tokens"}};
  std::vector<nlohmann::json> rows;
  for (const nlohmann::json& run : runs) {
    columns.push_back({run.at("name").get<std::string>()});
    rows.push_back(rows_of(run));
  }
  TextTable table(columns);
  for (size_t r = 0; r < rows.front().size(); ++r) {
    const nlohmann::json& first = rows.front()[r];
    std::vector<std::string> cells = {slice_name(first),
                                      grouped(first.at("tokens").get<int64_t>())};
    for (const nlohmann::json& run : rows)
      cells.push_back(shown.text(number_at(run[r], shown.key)));
    table.add_row(std::move(cells));
  }
  return table.text();
}

std::string four_decimals(const std::optional<double>& value) { return table_number(value, 4); }

}  // namespace

std::string slices_table(const SliceReport& report) {
  const nlohmann::json json = slices_json(report);
  const std::string& by = report.slicing.by;
  std::string text;
  if (report.runs.size() == 1) {
    text = one_run_table(json, by);
  } else {
    const nlohmann::json& runs = json.at("runs");
    const bool words = any_has(runs[0].at("slices"), "word_perplexity");
    text = "nats per token\n" + runs_side_by_side(runs, {by, "nats_per_token", four_decimals});
    text += words ? "\nword perplexity\n" : "\nperplexity\n";
    text +=
        runs_side_by_side(runs, {by, words ? "word_perplexity" : "perplexity", perplexity_text});
  }
  if (!report.slicing.measured.empty()) text += by + ": " + report.slicing.measured + "\n";
  return text;
}

}  // namespace lc

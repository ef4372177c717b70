#include "report/table_results.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/number_text.h"
#include "report/table.h"

namespace lc {
namespace {

std::string loss_text(const std::optional<double>& value) { return table_number(value, 4); }

struct Unit {
  const char* title;
  std::optional<double> Measures::*value;
  std::string (*text)(const std::optional<double>& value);
};
const std::vector<Unit> kUnits = {{"bits per byte", &Measures::bits_per_byte, loss_text},
                                  {"bits per token", &Measures::bits_per_token, loss_text},
                                  {"nats per token", &Measures::nats_per_token, loss_text},
                                  {"perplexity", &Measures::perplexity, perplexity_text},
                                  {"word perplexity", &Measures::word_perplexity, perplexity_text}};

// Bits per token are for tokens that are bytes where bits per byte aren't known, as with newlines
// dropped: what is published as bits per character.
bool shows(const RunResult& result, const Unit& unit) {
  const Evaluation& evaluation = result.evaluation;
  if (!(evaluation.measures.*unit.value).has_value()) return false;
  return unit.value != &Measures::bits_per_token ||
         (!evaluation.measures.bits_per_byte &&
          evaluation.protocol.value("/tokenizer/type"_json_pointer, "") == "byte");
}

// The units that any of the results shows.
std::vector<Unit> units_of(const std::vector<RunResult>& results) {
  std::vector<Unit> units;
  for (const Unit& unit : kUnits) {
    if (std::any_of(results.begin(), results.end(),
                    [&](const RunResult& result) { return shows(result, unit); })) {
      units.push_back(unit);
    }
  }
  return units;
}

bool shows_words(const std::vector<Unit>& units) {
  return std::any_of(units.begin(), units.end(),
                     [](const Unit& unit) { return unit.value == &Measures::word_perplexity; });
}

// What stands in a table for each unit, then for intervals and the number of tokens.
void add_measure_columns(const std::vector<Unit>& units, std::vector<TableColumn>& columns) {
  for (const Unit& unit : units) columns.push_back({unit.title});
  columns.push_back({"95% interval (nats)"});
  if (shows_words(units)) columns.push_back({"95% interval (word perplexity)"});
  columns.push_back({"tokens scored"});
}

void add_measures(const Measures& measures, const std::vector<Unit>& units,
                  std::vector<std::string>& row) {
  for (const Unit& unit : units) row.push_back(unit.text(measures.*unit.value));
  row.push_back(interval_text(measures.nats_interval, 4));
  if (shows_words(units)) {
    row.push_back(perplexity_interval_text(measures.word_perplexity_interval));
  }
  row.push_back(grouped(measures.tokens_scored));
}

std::string step_of(const RunResult& result) {
  const auto step = result.source.find("step");
  return step == result.source.end() ? "-" : grouped(step->get<int64_t>());
}

std::string plain(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// What a reader asks first, and what is in the JSON only.
const std::vector<std::string> kFirstInLine = {"checkpoint", "chosen", "step", "split", "data"};
const std::vector<std::string> kNotInLine = {"tokenizer_hash", "text_hash", "units", "intervals",
                                             "command"};

void add_to_line(const std::string& key, const nlohmann::json& value, std::string& line);

void flatten(const nlohmann::json& object, const std::string& prefix, std::string& line) {
  for (const auto& [key, value] : object.items()) {
    const auto is_key = [&name = key](const std::string& other) { return other == name; };
    if (std::any_of(kNotInLine.begin(), kNotInLine.end(), is_key)) continue;
    add_to_line(prefix + key, value, line);
  }
}

void add_to_line(const std::string& key, const nlohmann::json& value, std::string& line) {
  if (value.is_null()) return;
  if (value.is_object()) return flatten(value, key + ".", line);
  line += (line.empty() ? "" : "; ") + key + " " + plain(value);
}

// "6,966,499 (the published count of the split; counted here: 6,969,012)".
std::string words_text(const nlohmann::json& units) {
  const auto words = units.at("words").get<int64_t>();
  const nlohmann::json own = units.value("words_own", nlohmann::json());
  std::string text = grouped(words) + " (" + units.at("words_counted").get<std::string>();
  if (!own.is_null() && own != words) text += "; counted here: " + grouped(own.get<int64_t>());
  return text + ")";
}

std::string one_run_contexts(const ContextSweep& sweep) {
  TextTable table({{"context"},
                   {"bits per byte"},
                   {"nats per token"},
                   {"95% interval (nats)"},
                   {"perplexity"},
                   {"mean visible"}});
  for (const ContextPoint& point : sweep.points) {
    const Measures& measures = point.evaluation.measures;
    table.add_row({grouped(point.context), table_number(measures.bits_per_byte, 4),
                   table_number(measures.nats_per_token, 4),
                   interval_text(measures.nats_interval, 4), perplexity_text(measures.perplexity),
                   table_number(point.mean_visible, 1)});
  }
  return table.text();
}

// A loss that counts unknown words as one easy word is no match for one that doesn't.
std::string unknown_notes(const std::vector<RunResult>& results) {
  std::string text;
  for (const RunResult& result : results) {
    const nlohmann::json rate = result.evaluation.protocol.value("unknown_rate", nlohmann::json());
    if (rate.is_null()) continue;
    text += result.name + ": " + decimal(100 * rate.get<double>(), 2) +
            " % of the split's tokens are unknown to the vocabulary\n";
  }
  return text;
}

std::string mode_of(const Evaluation& evaluation) {
  return evaluation.protocol.at("mode").get<std::string>();
}

// How the splits and the cells of their grids were read, each way once.
std::set<std::string> modes_of(const std::vector<RunResult>& results) {
  std::set<std::string> modes;
  for (const RunResult& result : results) {
    modes.insert(mode_of(result.evaluation));
    for (const SweepCell& cell : result.grid->cells) modes.insert(mode_of(cell.evaluation));
  }
  return modes;
}

constexpr const char* kOfSegments =
    "segments: a cell without memory reads its segments one by one, where --memory 0 by itself "
    "slides a window\n";

// The losses of a grid over two flags.
std::string square(const RunResult& result, const LossUnit& unit) {
  const RuntimeSweep& grid = *result.grid;
  const SweepAxis& down = grid.axes[0];
  const SweepAxis& across = grid.axes[1];
  std::vector<TableColumn> columns = {{down.flag + " \\ " + across.flag}};
  for (const nlohmann::json& value : across.values) columns.push_back({plain(value)});
  TextTable table(columns);
  auto cell = grid.cells.begin();
  for (const nlohmann::json& value : down.values) {
    std::vector<std::string> row = {plain(value)};
    for (size_t i = 0; i < across.values.size(); ++i, ++cell) {
      row.push_back(table_number(loss_in(unit, cell->evaluation.measures).value, 4));
    }
    table.add_row(std::move(row));
  }
  return result.name + ": " + unit.name + "\n" + table.text();
}

}  // namespace

std::string perplexity_text(const std::optional<double>& value) {
  if (value && std::isfinite(*value) && *value >= 1e15) return scientific(*value, 3);
  if (value && *value >= 1e4 && *value < 1e15) return grouped(std::llround(*value));
  return table_number(value, 3);
}

std::string interval_text(const std::optional<Interval>& interval, int decimals) {
  if (!interval) return "-";
  return table_number(interval->low, decimals) + " to " + table_number(interval->high, decimals);
}

std::string perplexity_interval_text(const std::optional<Interval>& interval) {
  if (!interval) return "-";
  return perplexity_text(interval->low) + " to " + perplexity_text(interval->high);
}

std::string results_table(const std::vector<RunResult>& results) {
  const std::vector<Unit> units = units_of(results);
  std::vector<TableColumn> columns = {{"run", Align::kLeft}, {"step"}};
  add_measure_columns(units, columns);
  TextTable table(columns);
  for (const RunResult& result : results) {
    std::vector<std::string> row = {result.name, step_of(result)};
    add_measures(result.evaluation.measures, units, row);
    table.add_row(std::move(row));
  }
  return table.text() + unknown_notes(results);
}

std::string contexts_table(const std::vector<RunResult>& results) {
  if (results.size() == 1) return one_run_contexts(*results.front().sweep);
  const LossUnit unit = common_unit(results);
  std::vector<TableColumn> columns = {{"context"}};
  for (const RunResult& result : results) columns.push_back({result.name});
  TextTable table(columns);
  for (size_t i = 0; i < results.front().sweep->points.size(); ++i) {
    std::vector<std::string> row = {grouped(results.front().sweep->points[i].context)};
    for (const RunResult& result : results) {
      const Measures& measures = result.sweep->points.at(i).evaluation.measures;
      row.push_back(table_number(loss_in(unit, measures).value, 4));
    }
    table.add_row(std::move(row));
  }
  return unit.name + "\n" + table.text();
}

std::string sweep_table(const std::vector<RunResult>& results) {
  const std::vector<Unit> units = units_of(results);
  const std::vector<SweepAxis>& axes = results.front().grid->axes;
  const std::set<std::string> modes = modes_of(results);
  std::vector<TableColumn> columns = {{"run", Align::kLeft}};
  for (const SweepAxis& axis : axes) columns.push_back({axis.flag});
  if (modes.size() > 1) columns.push_back({"mode", Align::kLeft});
  add_measure_columns(units, columns);
  TextTable table(columns);
  for (const RunResult& result : results) {
    for (const SweepCell& cell : result.grid->cells) {
      std::vector<std::string> row = {result.name};
      for (const SweepAxis& axis : axes) row.push_back(plain(cell.values.at(axis.flag)));
      if (modes.size() > 1) row.push_back(mode_of(cell.evaluation));
      add_measures(cell.evaluation.measures, units, row);
      table.add_row(std::move(row));
    }
  }
  std::string text = table.text();
  if (modes.size() > 1 && modes.contains("segments")) text += kOfSegments;
  if (axes.size() != 2) return text;
  const LossUnit unit = common_unit(results);
  for (const RunResult& result : results) (text += "\n") += square(result, unit);
  return text;
}

std::string protocol_line(nlohmann::json protocol) {
  std::string line;
  for (const std::string& key : kFirstInLine) {
    add_to_line(key, protocol.value(key, nlohmann::json()), line);
    protocol.erase(key);
  }
  flatten(protocol, "", line);
  const nlohmann::json units = protocol.value("units", nlohmann::json::object());
  if (!units.value("words", nlohmann::json()).is_null()) {
    add_to_line("words", words_text(units), line);
  }
  return line;
}

}  // namespace lc

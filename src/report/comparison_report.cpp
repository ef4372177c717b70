#include "report/comparison_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/number_text.h"
#include "report/csv.h"
#include "report/table.h"
#include "report/table_results.h"
#include "report/token_gains_report.h"

namespace lc {
namespace {

nlohmann::json difference_json(const Difference& difference) {
  const PairedDifference& paired = difference.paired;
  const auto bits = [&](const nlohmann::json& nats) -> nlohmann::json {
    if (nats.is_null() || !difference.bits_per_nat) return nullptr;
    return nats.get<double>() * *difference.bits_per_nat;
  };
  nlohmann::json json{{"nats_per_token", optional_number(paired.nats_per_token)},
                      {"nats_low", nullptr},
                      {"nats_high", nullptr},
                      {"tokens", paired.tokens},
                      {"blocks", paired.blocks.unit},
                      {"block_count", paired.blocks.blocks.size()}};
  if (paired.interval) {
    json["nats_low"] = optional_number(paired.interval->low);
    json["nats_high"] = optional_number(paired.interval->high);
  }
  json["bits_per_byte"] = bits(json["nats_per_token"]);
  json["bits_low"] = bits(json["nats_low"]);
  json["bits_high"] = bits(json["nats_high"]);
  if (difference.context) json["context"] = *difference.context;
  return json;
}

std::string row_name(const Difference& difference) {
  return difference.context ? "context " + grouped(*difference.context) : "whole split";
}

// Of so many tokens.
struct DrawnDifference {
  std::optional<double> nats;
  std::optional<Interval> interval;
  int64_t tokens;
};

void add_difference(const std::string& name, const DrawnDifference& difference, DotPlot& plot) {
  const auto& [nats, interval, tokens] = difference;
  Dot dot;
  if (nats) dot.value = *nats;
  dot.lost = !std::isfinite(dot.value) && tokens > 0;
  if (interval) {
    dot.low = interval->low;
    dot.high = interval->high;
  }
  plot.rows.push_back(name);
  plot.series.front().dots.push_back(dot);
}

constexpr size_t kFewestBlocks = 10;  // that a verdict may stand on

std::string verdict(const Comparison& comparison) {
  for (const RunResult* run : {&comparison.a, &comparison.b}) {
    if (run->evaluation.measures.nats_per_token) continue;
    return run->name + " has losses that are not finite: no difference can be told.";
  }
  const PairedDifference& paired = comparison.differences.front().paired;
  if (!paired.interval) return "The text is too short for an interval.";
  const size_t count = paired.blocks.blocks.size();
  const std::string& unit = paired.blocks.unit;
  const std::string blocks =
      std::to_string(count) + (unit == "documents" ? " " : " blocks of ") + unit;
  if (count < kFewestBlocks) {
    return "No verdict: the interval stands on " + blocks + " only; score at least " +
           std::to_string(kFewestBlocks) + ".";
  }
  const std::string interval = " beyond the 95% interval, which stands on " + blocks + ".";
  if (paired.interval->low <= 0 && paired.interval->high >= 0) return "No difference" + interval;
  const bool a_wins = paired.interval->high < 0;
  return (a_wins ? comparison.a.name : comparison.b.name) + " is better than " +
         (a_wins ? comparison.b.name : comparison.a.name) + "," + interval;
}

}  // namespace

nlohmann::json comparison_json(const Comparison& comparison, int64_t top) {
  nlohmann::json json{{"a", result_json(comparison.a)}, {"b", result_json(comparison.b)}};
  json["a"]["name"] = comparison.a.name;
  json["b"]["name"] = comparison.b.name;
  json["difference"] = difference_json(comparison.differences.front());
  if (comparison.differences.size() > 1) json["contexts"] = nlohmann::json::array();
  for (size_t i = 1; i < comparison.differences.size(); ++i) {
    json["contexts"].push_back(difference_json(comparison.differences[i]));
  }
  if (comparison.gains) json["gains"] = gains_json(*comparison.gains, top);
  return json;
}

std::string comparison_csv(const Comparison& comparison) {
  const std::vector<std::string> keys = {"nats_per_token", "nats_low", "nats_high",
                                         "bits_per_byte",  "bits_low", "bits_high"};
  std::vector<std::string> header = {"a", "b", "context"};
  header.insert(header.end(), keys.begin(), keys.end());
  header.emplace_back("tokens");
  std::string text = csv_line(header);
  for (const Difference& difference : comparison.differences) {
    const nlohmann::json json = difference_json(difference);
    std::vector<std::string> row = {comparison.a.name, comparison.b.name,
                                    difference.context ? std::to_string(*difference.context) : ""};
    for (const std::string& key : keys) {
      row.push_back(json[key].is_null() ? "" : csv_number(json[key].get<double>()));
    }
    row.push_back(std::to_string(difference.paired.tokens));
    text += csv_line(row);
  }
  return text;
}

std::string comparison_text(const Comparison& comparison) {
  const auto& differences = comparison.differences;
  const bool in_bits = std::all_of(differences.begin(), differences.end(),
                                   [](const Difference& d) { return d.bits_per_nat.has_value(); });
  TextTable table(
      {{"context"}, {in_bits ? "bits per byte" : "nats per token"}, {"95% interval"}, {"tokens"}});
  for (const Difference& difference : differences) {
    const PairedDifference& paired = difference.paired;
    const double factor = in_bits ? *difference.bits_per_nat : 1;
    std::optional<Interval> interval;
    if (paired.interval) interval = {paired.interval->low * factor, paired.interval->high * factor};
    table.add_row({difference.context ? grouped(*difference.context) : "whole split",
                   table_number(paired.nats_per_token * factor, 5), interval_text(interval, 5),
                   grouped(paired.tokens)});
  }
  return "difference, " + comparison.a.name + " minus " + comparison.b.name + "\n" + table.text() +
         verdict(comparison) + "\n";
}

DotPlot comparison_plot(const Comparison& comparison) {
  const std::string names = comparison.a.name + " minus " + comparison.b.name;
  DotPlot plot;
  plot.title = "Difference: " + names;
  plot.subtitle = grouped(comparison.differences.front().paired.tokens) +
                  " tokens that both scored; below zero " + comparison.a.name +
                  " is better; 95% intervals";
  plot.x_label = "difference in nats per token";
  plot.series.push_back({names, {}});
  for (const Difference& difference : comparison.differences) {
    const PairedDifference& paired = difference.paired;
    add_difference(row_name(difference), {paired.nats_per_token, paired.interval, paired.tokens},
                   plot);
  }
  if (!comparison.gains || !comparison.gains->frequency) return plot;
  for (size_t s = 0; s < comparison.gains->frequency->slices.size(); ++s) {
    const Slice& slice = comparison.gains->frequency->slices[s];
    const SliceScore& score = comparison.gains->by_frequency->slices[s];
    add_difference(slice.from ? "words " + slice.name + " times in train" : slice.name,
                   {score.nats_per_token(), score.interval, score.tokens}, plot);
  }
  return plot;
}

}  // namespace lc

#include "eval/compare.h"

#include <algorithm>
#include <numbers>
#include <utility>

#include "core/error.h"
#include "eval/csv.h"
#include "eval/svg_plot_text.h"
#include "eval/table.h"
#include "eval/table_results.h"
#include "eval/units.h"

namespace lc {
namespace {

constexpr int64_t kComparedAtOnce = 1 << 16;

// The first place where two files of equal size differ.
std::optional<int64_t> first_difference(const TokenFile& a, const TokenFile& b) {
  std::vector<int64_t> ids_a;
  std::vector<int64_t> ids_b;
  for (int64_t first = 0; first < a.size(); first += kComparedAtOnce) {
    const int64_t count = std::min(kComparedAtOnce, a.size() - first);
    ids_a.resize(static_cast<size_t>(count));
    ids_b.resize(static_cast<size_t>(count));
    a.copy(first, count, ids_a.data());
    b.copy(first, count, ids_b.data());
    const auto [at, other] = std::mismatch(ids_a.begin(), ids_a.end(), ids_b.begin());
    if (at != ids_a.end()) return first + (at - ids_a.begin());
  }
  return {};
}

Difference difference_of(const TokenFile& tokens, const Evaluation& a, const Evaluation& b) {
  Difference difference{{}, paired_difference(a.scores, b.scores, text_shape(tokens)), {}};
  const ScoredUnits units = scored_units(tokens, paired_scores(a.scores, b.scores));
  if (units.bytes && *units.bytes > 0) {
    difference.bits_per_nat = static_cast<double>(difference.paired.tokens) /
                              static_cast<double>(*units.bytes) / std::numbers::ln2;
  }
  return difference;
}

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

void add_difference(const std::string& name, std::optional<double> nats,
                    const std::optional<Interval>& interval, DotPlot& plot) {
  Dot dot;
  if (nats) dot.value = *nats;
  if (interval) {
    dot.low = interval->low;
    dot.high = interval->high;
  }
  plot.rows.push_back(name);
  plot.series.front().dots.push_back(dot);
}

std::string verdict(const Comparison& comparison) {
  const PairedDifference& paired = comparison.differences.front().paired;
  if (!paired.interval) return "The text is too short for an interval.";
  if (paired.interval->low <= 0 && paired.interval->high >= 0) {
    return "No difference beyond the 95% interval.";
  }
  const bool a_wins = paired.interval->high < 0;
  return (a_wins ? comparison.a.name : comparison.b.name) + " is better than " +
         (a_wins ? comparison.b.name : comparison.a.name) + ", beyond the 95% interval.";
}

}  // namespace

void require_same_tokens(const NamedTokens& a, const NamedTokens& b) {
  std::string fault;
  if (a.tokens.tokenizer_hash() != b.tokens.tokenizer_hash()) {
    fault = "another tokenizer than " + a.name;
  } else if (a.tokens.size() != b.tokens.size()) {
    fault = std::to_string(b.tokens.size()) + " tokens where " + a.name + " has " +
            std::to_string(a.tokens.size());
  } else if (const auto at = first_difference(a.tokens, b.tokens)) {
    fault = "another text than " + a.name + ", from token " + std::to_string(*at) + " on";
  }
  if (fault.empty()) return;
  throw Error(
      ErrorKind::kData, b.name, "has " + fault,
      "compare runs that were trained with the same tokenizer, on the same split or --data");
}

Comparison compare_runs(const TokenFile& tokens, RunResult a, RunResult b) {
  std::vector<Difference> differences = {difference_of(tokens, a.evaluation, b.evaluation)};
  if (a.sweep && b.sweep) {
    for (size_t i = 0; i < a.sweep->points.size(); ++i) {
      const ContextPoint& of_a = a.sweep->points[i];
      const ContextPoint& of_b = b.sweep->points.at(i);
      LC_CHECK(of_a.context == of_b.context);
      differences.push_back(difference_of(tokens, of_a.evaluation, of_b.evaluation));
      differences.back().context = of_a.context;
    }
  }
  return {std::move(a), std::move(b), std::move(differences), {}};
}

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
    add_difference(row_name(difference), difference.paired.nats_per_token,
                   difference.paired.interval, plot);
  }
  if (!comparison.gains || !comparison.gains->frequency) return plot;
  for (size_t s = 0; s < comparison.gains->frequency->slices.size(); ++s) {
    const Slice& slice = comparison.gains->frequency->slices[s];
    const SliceScore& score = comparison.gains->by_frequency->slices[s];
    add_difference(slice.from ? "words " + slice.name + " times in train" : slice.name,
                   score.nats_per_token(), score.interval, plot);
  }
  return plot;
}

}  // namespace lc
